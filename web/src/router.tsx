/** The addresses of the dashboard. Each screen is a folder in `screens/`, loaded when it is first shown. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { parseSearch, type Search, stringifySearch } from "./address";
import { Problem } from "./api/problem";
import { agents, queryClient } from "./api/queries";
import { lastAgent } from "./choices";
import { Loading } from "./parts/Loading";
import { Broken, NotFound } from "./shell/Broken";
import { LoginOverPage } from "./shell/LoginOverPage";
import { Shell } from "./shell/Shell";

const search = (given: Record<string, unknown>): Search => given as Search;

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <LoginOverPage />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: Broken,
});

/** `/` leads to the agent that was looked at last, or to the first. */
const start = createRoute({
  getParentRoute: () => root,
  path: "/",
  loader: async () => {
    const found = await queryClient.fetchQuery(agents()).then(
      (data) => data.agents,
      (error) => {
        if (Problem.from(error).status === 401) return []; // the login screen lies over the page, and then it is asked again
        throw error;
      },
    );
    const known = found.find((each) => each.id === lastAgent.get());
    const chosen = known ?? found.find((each) => each.default) ?? found[0];
    if (chosen) throw redirect({ to: "/agents/$agent/home", params: { agent: chosen.id }, replace: true });
  },
  component: () => null,
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: search,
  component: lazyRouteComponent(() => import("./screens/login")),
});

const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  validateSearch: search,
  component: lazyRouteComponent(() => import("./screens/settings")),
});

const agent = createRoute({ getParentRoute: () => shell, path: "/agents/$agent", validateSearch: search });

const agentStart = createRoute({
  getParentRoute: () => agent,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/agents/$agent/home", params, replace: true });
  },
});

function screen<P extends string>(path: P, load: () => Promise<{ default: () => React.ReactNode }>) {
  return createRoute({ getParentRoute: () => agent, path, component: lazyRouteComponent(load) });
}

const tree = root.addChildren([
  start,
  login,
  shell.addChildren([
    settings,
    agent.addChildren([
      agentStart,
      screen("home", () => import("./screens/home")),
      screen("chat", () => import("./screens/chat")),
      screen("review", () => import("./screens/review")),
      screen("memory", () => import("./screens/memory")),
      screen("files", () => import("./screens/files")),
      screen("days", () => import("./screens/days")),
      screen("soul", () => import("./screens/soul")),
      screen("skills", () => import("./screens/skills")),
      screen("tools", () => import("./screens/tools")),
      screen("context", () => import("./screens/context")),
      screen("keepers", () => import("./screens/keepers")),
      screen("doctor", () => import("./screens/doctor")),
      screen("search", () => import("./screens/search")),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPendingComponent: () => <Loading lines={4} />,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
