/**
 * The half of this browser's token that the page keeps; the other is in a cookie. Browsers send a cookie to every port of a
 * machine, but give what is stored to pages of this port alone.
 */
const NAME = "oldsoul.key";
let held = "";

/** Keep it, for all tabs of this browser. */
export function keepKey(key: string): void {
  held = key;
  try {
    localStorage.setItem(NAME, key);
  } catch {
    // storage is switched off or full; it holds as long as this page
  }
}

/** What every request to the server says. Another tab may have logged in since the last one. */
export function keyHeader(): Record<string, string> {
  let key = held;
  try {
    key = localStorage.getItem(NAME) ?? held;
  } catch {
    // storage is switched off
  }
  return key ? { "Oldsoul-Key": key } : {};
}
