/** What is typed for a setting is what is sent, and what is shown never tells a secret. */
import { describe, expect, it } from "vitest";
import { formOf, groupName, type Setting, sectionOf, sent, shown, typed } from "./values";

const setting = (type: string, value: unknown, more: Partial<Setting> = {}): Setting => ({
  path: "memory.enabled",
  value,
  source: "default",
  line: null,
  type,
  default: "",
  help: "",
  choices: [],
  secret: false,
  guarded: false,
  where: "config",
  ...more,
});

describe("values of settings", () => {
  it("go through typing unchanged", () => {
    const cases: [string, unknown][] = [
      ["a whole number from 0 to 10", 7],
      ["text", "a text"],
      ["a list, each text", ["a", "b c"]],
      ["names, each with text", { fast: "gpt: mini" }],
      ["true or false", true],
    ];
    for (const [type, value] of cases) {
      const one = setting(type, value);
      expect(sent(one, typed(one))).toEqual(value);
    }
  });

  it("leave it to the server to say what is wrong with a number", () => {
    expect(sent(setting("a number, at least 0", 1), "many")).toBe("many");
    expect(sent(setting("a number, at least 0", 1), "")).toBe("");
  });

  it("never show a secret", () => {
    const one = setting("text", "••••••", { secret: true });
    expect(typed(one)).toBe("");
    expect(shown(one).words).toBe("set, never shown");
    expect(shown(setting("text", "", { secret: true })).words).toBe("not set");
  });

  it("that have parts of their own are typed in the file alone", () => {
    expect(formOf(setting("a list of entries", []))).toBe("entries");
  });
});

describe("sections", () => {
  it("follow the path", () => {
    expect(sectionOf("memory.search.query.limit")).toBe("search");
    expect(sectionOf("memory.soul.growth")).toBe("memory");
    expect(sectionOf("storage.chat")).toBe("storage");
    expect(sectionOf("operators")).toBe("general");
    expect(groupName("memory.search.query")).toBe("Search: query");
    expect(groupName("keepers")).toBe("Keepers");
  });
});
