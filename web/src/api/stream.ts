/** Server-sent events, read from an answer: `EventSource` cannot send a header. */
export type Sent = { kind: string; id: string; data: unknown };

/** The events of a stream, until it ends. */
export async function* sent(body: ReadableStream<Uint8Array>): AsyncGenerator<Sent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true }).replaceAll("\r\n", "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
          .join("\n");
      const data = field("data");
      yield { kind: field("event"), id: field("id"), data: data ? (JSON.parse(data) as unknown) : undefined };
    }
  }
}
