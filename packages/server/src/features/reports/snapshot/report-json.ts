/**
 * Maximum number of items in each list of a report, so that a browser can show the page. The report's counts also include the
 * items that a list leaves out.
 */
export const listedAtMost = 10_000

/** SQL that writes a time as ISO 8601 in UTC. */
export const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** SQL for a JSON list of the newest rows `s` of `from`. `item` has the keys and values of an item. */
export const list = (item: string, from: string) => `(select coalesce(jsonb_agg(x.item order by x.id desc), '[]') from (
  select s.id, jsonb_build_object(${item}) as item from ${from} order by s.id desc limit ${listedAtMost}) x)`

/** SQL for the person who caused the audit entry `entry`, with the name of that time. */
export const person = (entry: string) =>
  `jsonb_build_object('user_id', ${entry}.actor_user_id, 'display_name', ${entry}.actor_name, 'email', ${entry}.actor_email)`
