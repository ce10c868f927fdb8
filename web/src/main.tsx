import "./styles/index.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listen } from "./api/events";
import { queryClient } from "./api/queries";
import { followTheme } from "./choices";
import { router } from "./router";
import { hearKeys } from "./shell/keys";

followTheme();
hearKeys();
if (window.location.pathname !== "/login") listen();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
