/** What the person chose in this browser: colours, keys, and which panes are open. */
import { kept, store } from "./store";

export const theme = kept<string>("theme", "system"); // system, light or dark
export const letterKeys = kept<boolean>("letter-keys", true);
export const railFolded = kept<boolean>("rail", false);
export const lastAgent = kept<string>("agent", "");
export const paletteOpen = store(false);
export const inspectorOpen = store(window.matchMedia("(min-width: 1100px)").matches);

/** Follow the choice of colours, now and whenever it changes. */
export function followTheme(): void {
  const apply = () => {
    const chosen = theme.get();
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
    else delete document.documentElement.dataset.theme;
  };
  apply();
  theme.on(apply);
}
