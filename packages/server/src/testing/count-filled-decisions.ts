import { keptDays } from '../db/schema/partitions.ts'

/**
 * SQL statements that count the rows of `decision_records` of the tenant $1, as the server counts decisions that arrive. For data that
 * tests and benches insert in bulk.
 */
export const countFilledDecisions: readonly string[] = [
  `insert into decision_spans (tenant_id, retention_days, day, first_at, last_at)
   select tenant_id, retention_days, date_trunc('day', filed_at), date_trunc('hour', min(at)), date_trunc('hour', max(at)) + interval '1 hour'
   from decision_records where tenant_id = $1 group by 1, 2, 3`,
  `insert into decision_tools (tenant_id, tool) select distinct tenant_id, tool from decision_records where tenant_id = $1`,
  `insert into decision_kinds (tenant_id, id, environment_id, policy_id, policy_version, rule_id, tool, effect, mode)
   select tenant_id, kind_id, environment_id, policy_id, policy_version, rule_id, tool, effect, mode from (
     select distinct tenant_id, environment_id, policy_id, policy_version, rule_id, tool, effect, mode from decision_records where tenant_id = $1) d
   cross join lateral (select ${kindId('d.policy_id', 'd.policy_version', 'd.rule_id', 'd.tool')} as kind_id) k`,
  `insert into decision_kinds (tenant_id, id, environment_id, tool, effect, mode)
   select distinct tenant_id, ${kindId("''", "''", "''", "''")}, environment_id, '', effect, mode from decision_kinds d where tenant_id = $1`,
  countInto('decision_minutes', 'minute', keptDays.minute),
  countInto('decision_hours', 'hour', keptDays.hour),
  countInto('decision_days', 'day', keptDays.day),
  `insert into decision_agent_days (tenant_id, bucket, agent_id, environment_id, calls, magnitude)
   select tenant_id, date_trunc('day', at), agent_id, coalesce(environment_id, '00000000-0000-0000-0000-000000000000'), count(*),
     length(ltrim(count(*)::bit(64)::text, '0'))
   from decision_records where tenant_id = $1 group by 1, 2, 3, 4`,
]

/** SQL for the id of a kind. See `KindsOfBatch`. */
function kindId(policyId: string, version: string, ruleId: string, tool: string): string {
  const parts = ['d.environment_id', policyId, version, ruleId].map((part) => `coalesce((${part})::text, '')`)
  return `encode(substr(sha256(convert_to(concat_ws('|', ${parts.join(', ')}, d.effect, d.mode, ${tool}), 'UTF8')), 1, 16), 'hex')::uuid`
}

function countInto(table: string, unit: string, days: number): string {
  const noEdge = `'00000000-0000-0000-0000-000000000000'::uuid`
  const rest = (subject: string, kind: string, where = 'true') =>
    `select tenant_id, ${subject} as subject_id, bucket, ${kind} as kind_id, ${noEdge} as edge_id, sum(calls) as calls
     from counted where ${where} group by 1, 2, 3, 4`
  return `
    insert into ${table} (tenant_id, subject_id, bucket, kind_id, edge_id, calls)
    with counted as materialized (
      select d.tenant_id, d.agent_id, d.edge_id, date_trunc('${unit}', d.at) as bucket, k.id as kind_id, t.id as total_kind_id, count(*) as calls
      from decision_records d
      join decision_kinds k on k.tenant_id = $1 and k.tool = d.tool and k.effect = d.effect and k.mode = d.mode
        and k.environment_id is not distinct from d.environment_id and k.policy_id is not distinct from d.policy_id
        and k.policy_version is not distinct from d.policy_version and k.rule_id is not distinct from d.rule_id
      join decision_kinds t on t.tenant_id = $1 and t.tool = '' and t.effect = d.effect and t.mode = d.mode
        and t.environment_id is not distinct from d.environment_id
      where d.tenant_id = $1 and d.at >= date_trunc('${unit}', now() - interval '${days} days')
      group by 1, 2, 3, 4, 5, 6)
    select * from (
      select tenant_id, agent_id as subject_id, bucket, kind_id, coalesce(edge_id, ${noEdge}) as edge_id, calls from counted
      union all ${rest('edge_id', 'kind_id', 'edge_id is not null')}
      union all ${rest(noEdge, 'kind_id')}
      union all ${rest(`'00000000-0000-0000-0000-000000000008'::uuid`, 'total_kind_id')}) s
    order by bucket, subject_id`
}
