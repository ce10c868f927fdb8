/** Days as the heat map counts them. */
import type { Schemas } from "../../api/client";
import { asDate, isoDay } from "../../words";

export type Counts = Schemas["DayShown"];
export type Measure = "messages" | "learnt" | "changes";

/** A day so many days later. */
export function later(day: string, by: number): string {
  const date = asDate(day);
  date.setDate(date.getDate() + by);
  return isoDay(date);
}

export const isDay = (text: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(asDate(text).getTime()) && isoDay(asDate(text)) === text;

/** Monday is 0. */
export const weekday = (day: string) => (asDate(day).getDay() + 6) % 7;

/** The weeks of a time, each from Monday to Sunday; days outside it are empty. */
export function weeks(since: string, until: string): (string | null)[][] {
  const result: (string | null)[][] = [];
  for (let day = later(since, -weekday(since)); day <= until; day = later(day, 7))
    result.push(
      Array.from({ length: 7 }, (_, i) => later(day, i)).map((each) =>
        each < since || each > until ? null : each,
      ),
    );
  return result;
}

/** How strong a day is drawn, from 0 (nothing) to 4 (most). */
export function strength(count: number, most: number): number {
  if (count <= 0) return 0;
  return Math.max(1, Math.ceil((count / Math.max(1, most)) * 4));
}

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`;
}

export function lastOfMonth(day: string): string {
  const date = asDate(day);
  return isoDay(new Date(date.getFullYear(), date.getMonth() + 1, 0));
}
