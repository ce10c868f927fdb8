/** Markdown as it reads, made safe: no HTML, no script, and nothing is loaded from anywhere. */
import { useMemo, useRef } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";

type Node = {
  type: string;
  value?: string;
  children?: Node[];
  properties?: Record<string, unknown>;
  position?: { start: { line: number } };
};

/** Leave out comments, and the tag before an entry's comment; other HTML stays, as text. */
function withoutComments() {
  return (tree: Node) => clean(tree);
}

function clean(node: Node): void {
  if (!node.children) return;
  node.children.forEach((child, i) => {
    const before = node.children?.[i - 1];
    if (isComment(child) && before?.type === "text" && before.value)
      before.value = before.value.replace(/\s+#[a-z][a-z-]*\s*$/i, "").trimEnd();
  });
  node.children = node.children.filter((child) => !isComment(child));
  node.children.forEach(clean);
}

const isComment = (node: Node) => node.type === "html" && /^\s*<!--[\s\S]*-->\s*$/.test(node.value ?? "");

const BLOCKS = 3;

/** Paragraphs, headings and list items know their line, so that a preview can follow an editor. */
function withLines(before: number) {
  const mark = (node: Node, depth: number) => {
    if (node.type === "element" && node.position)
      node.properties = { ...node.properties, dataLine: node.position.start.line + before };
    if (depth < BLOCKS) for (const child of node.children ?? []) mark(child, depth + 1);
  };
  return (tree: Node) => mark(tree, 0);
}

/** A link to another file of the workspace, as files write it: `2026-03-06/ida.md`. */
const isFile = (href: string) => /^[^#?/:][^#?:]*\.md(#.*)?$/i.test(href);

const linkTo =
  (onFile?: (href: string) => void): Components["a"] =>
  ({ href, children }) => {
    if (href && onFile && isFile(href))
      return (
        <button type="button" className="to-file" onClick={() => onFile(decodeURI(href.replace(/#.*/, "")))}>
          {children}
        </button>
      );
    const inside = !href || href.startsWith("#");
    return (
      <a href={href} {...(inside ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" })}>
        {children}
      </a>
    );
  };

const COMPONENTS: Components = {
  // An image would tell its server who reads this, so it is a link.
  img: ({ src, alt }) => (
    <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noopener noreferrer nofollow">
      image: {alt || "without a name"}
    </a>
  ),
  input: (props) => (
    <input
      type="checkbox"
      className="check mr-2 align-[-3px]"
      checked={Boolean(props.checked)}
      disabled
      readOnly
      aria-label={props.checked ? "done" : "to do"}
    />
  ),
};

type Props = {
  text: string;
  /** Follows a link to another file; without it, such a link is like any other. */
  onFile?: (href: string) => void;
};

export default function Markdown({ text, onFile }: Props) {
  const told = useRef(onFile);
  told.current = onFile;
  const canFollow = onFile !== undefined;
  const components = useMemo<Components>(
    () => ({ ...COMPONENTS, a: linkTo(canFollow ? (href) => told.current?.(href) : undefined) }),
    [canFollow],
  );
  const head = /^---\n[\s\S]*?\n---\n/.exec(text)?.[0] ?? "";
  return (
    <article className="prose">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, withoutComments]}
        rehypePlugins={[rehypeSanitize, [withLines, head.split("\n").length - 1]]}
        components={components}
      >
        {text.slice(head.length)}
      </ReactMarkdown>
    </article>
  );
}
