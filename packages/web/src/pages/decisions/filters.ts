import { type Filter, ofLink, optionsOf } from '../../ui/filters/filters.ts'
import { effects, modeLooks } from '../../ui/page/states.ts'
import { datedTime } from '../../words/times.ts'

/** The filters of the list. The address has each of them, under the name that the API uses. */
export const filterNames = [
  'effect',
  'mode',
  'tool',
  'agent_id',
  'policy_id',
  'rule_id',
  'edge_id',
  'environment_id',
  'approval_id',
  'session_id',
  'from',
  'to',
] as const
export type FilterName = (typeof filterNames)[number]
export type Filters = { [N in FilterName]?: string | undefined }

/** The filters that are set, without the span. */
export const filtersOf = (search: Filters): Filters =>
  Object.fromEntries(
    filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  ) as Filters

/** A point in time from an address. What is not a time is shown as it is. */
export const timeText = (value: string) => (Number.isNaN(Date.parse(value)) ? value : datedTime(value))

/** What can be chosen, and what a link has chosen. `names` has the names of what the filters refer to, by id. */
export function chipsOf(filters: Filters, names: Readonly<Record<string, string>>, environment: Filter): Filter[] {
  return [
    { name: 'effect', label: 'Effect', value: filters.effect, options: optionsOf(effects) },
    {
      name: 'mode',
      label: 'Enforcement',
      value: filters.mode,
      options: (['enforce', 'monitor'] as const).map((value) => ({ value, text: modeLooks[value].word })),
    },
    environment,
    ...ofLink('policy_id', 'Policy', filters.policy_id, names),
    ...ofLink('rule_id', 'Rule', filters.rule_id, names),
    ...ofLink('edge_id', 'Edge', filters.edge_id, names),
    ...ofLink('approval_id', 'Approval', filters.approval_id, names),
    ...ofLink('session_id', 'Session', filters.session_id, names),
  ]
}

/** Whether the counts over time can have these filters: they know no approvals and no sessions, and patterns only of one agent. */
export const hasTimeline = ({ approval_id: approval, session_id: session, tool, agent_id: agent }: Filters) =>
  approval === undefined && session === undefined && (tool === undefined || !tool.includes('*') || agent !== undefined)
