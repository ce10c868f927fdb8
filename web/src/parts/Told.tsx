/** A sentence in which file names stand: what is in `backticks`, and absolute paths, are in the face of files. */
const ON_DISK = /(`[^`]+`|(?<=^|[\s(])\/[\w.@~-]+(?:\/[\w.@~-]+)+)/;

export function Told({ text }: { text: string }) {
  return text.split(ON_DISK).map((piece, i) =>
    i % 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence keep their places
      <span key={i} className="file">
        {piece.replaceAll("`", "")}
      </span>
    ) : (
      piece
    ),
  );
}
