/** Keys as they are written on this keyboard: "mod+k" is ⌘K on a Mac and Ctrl K elsewhere. */
const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const NAMES: Record<string, string> = {
  mod: isMac ? "⌘" : "Ctrl",
  enter: "↵",
  escape: "Esc",
  arrowup: "↑",
  arrowdown: "↓",
};

export function keyName(keys: string): string {
  const named = keys.split("+").map((key) => NAMES[key.toLowerCase()] ?? key.toUpperCase());
  return named.join(isMac ? "" : " ");
}
