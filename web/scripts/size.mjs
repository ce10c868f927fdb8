// Sizes of the built files, gzipped. The first load must stay small: it fails the build when it is not.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 220 * 1000;
const out = fileURLToPath(new URL("../../src/oldsoul/web/", import.meta.url));
const manifest = JSON.parse(readFileSync(join(out, "manifest.json"), "utf8"));
const size = (file) => gzipSync(readFileSync(join(out, file)), { level: 9 }).length;
const shown = (bytes) => `${(bytes / 1000).toFixed(1).padStart(7)} KB`;

/** The files that a chunk needs before it runs: itself, its static imports, and their CSS. */
function needed(key, files = new Set()) {
  const chunk = manifest[key];
  if (files.has(chunk.file)) return files;
  files.add(chunk.file);
  for (const css of chunk.css ?? []) files.add(css);
  for (const next of chunk.imports ?? []) needed(next, files);
  return files;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const first = needed(entry);
const total = [...first].reduce((sum, file) => sum + size(file), 0);
const others = readdirSync(join(out, "assets"))
  .map((name) => `assets/${name}`)
  .filter((file) => !first.has(file));

console.log("\nFirst load, gzipped:");
for (const file of first) console.log(`${shown(size(file))}  ${file}`);
console.log(`${shown(total)}  of ${LIMIT / 1000} KB\n\nLoaded when needed:`);
for (const [bytes, file] of others.map((file) => [size(file), file]).sort((a, b) => b[0] - a[0])) {
  console.log(`${shown(bytes)}  ${file}`);
}
if (total > LIMIT) {
  console.error("\nThe first load is too large. Load what it does not need with lazy().");
  process.exit(1);
}
