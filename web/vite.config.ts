import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// `OLDSOUL_URL=http://127.0.0.1:8765 npm run dev` shows the pages on a server that runs.
const server = process.env.OLDSOUL_URL ?? "http://127.0.0.1:8765";
const through = { target: server, changeOrigin: true, headers: { origin: server } };

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: "../src/oldsoul/web",
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/api": through } },
  test: { include: ["src/**/*.test.ts"], environment: "node" },
});
