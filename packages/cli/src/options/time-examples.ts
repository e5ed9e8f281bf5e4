/** Examples of a time for the help of an option. Apart from the parser, because most commands do not need the parser. */
export const timeExamples = '2026-01-31 or 2026-01-31T09:00, both in UTC, or 2026-01-31T09:00:00+01:00'
export const dayExamples = '2026-01-31, or its start, 2026-01-31T00:00'
