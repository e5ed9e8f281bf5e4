/**
 * Invariants of a tenant without requests in progress. Each statement selects the rows that break its invariant. `$1` is the tenant.
 * They read the tables directly, because a faulty route could hide its own errors. The governance gate is `alert`.
 */
export const invariants: Record<string, string> = {
  'versions of a policy are 1..n without gaps, and the newest is the current version': `
    select p.id, p.version, count(v.version) as versions, max(v.version) as newest
    from policies p left join policy_versions v on v.tenant_id = p.tenant_id and v.policy_id = p.id
    where p.tenant_id = $1
    group by p.tenant_id, p.id, p.version
    having min(v.version) is distinct from 1 or max(v.version) <> count(v.version) or max(v.version) <> p.version`,

  'a policy equals the snapshot of its newest version, with rules in priority order': `
    select p.id, p.version
    from policies p join policy_versions v on v.tenant_id = p.tenant_id and v.policy_id = p.id and v.version = p.version
    where p.tenant_id = $1 and (v.content_hash <> p.content_hash or v.snapshot <> jsonb_build_object(
      'name', p.name, 'description', p.description, 'environment_id', p.environment_id, 'override_mode', p.override_mode,
      'default_effect', p.default_effect, 'dlp_enabled', p.dlp_enabled, 'rules', coalesce((
        select jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'priority', r.priority, 'enabled', r.enabled,
          'effect', r.effect, 'match', r.match, 'reason', r.reason)
          || case when r."limit" is null then '{}' else jsonb_build_object('limit', r."limit") end order by r.priority)
        from policy_rules r where r.tenant_id = p.tenant_id and r.policy_id = p.id), '[]')))`,

  'each policy version has exactly one audit entry, and each entry has its version': `
    with said as (
      select resource_id as policy_id, (details ->> 'version')::int as version, count(*) as entries
      from audit_entries
      where tenant_id = $1 and resource_type = 'policy' and event_type <> 'policy.deleted'
      group by 1, 2
    ), deleted as (
      select resource_id from audit_entries where tenant_id = $1 and event_type = 'policy.deleted'
    )
    select * from said full join (select policy_id, version from policy_versions where tenant_id = $1) kept
      using (policy_id, version)
    where (entries is distinct from 1 or kept.version is null) and policy_id not in (select resource_id from deleted)`,

  'each agent has exactly one audit entry for its creation, and each entry has an agent with a valid key': `
    select resource_id, a.id, count(*) as entries
    from (select * from audit_entries where tenant_id = $1 and event_type = 'agent.created') c
    full join (select * from agents where tenant_id = $1 and source = 'runtime') a on a.id = c.resource_id
    left join credential_lookup l on l.tenant_id = $1 and l.kind = 'agent' and l.id = a.id and l.hash = a.key_hash
    group by c.resource_id, a.id
    having count(*) <> 1 or c.resource_id is null or a.id is null or count(l.id) <> 1`,

  'an archived agent has exactly one audit entry for it, and other agents have no such entry': `
    select a.id, a.status, count(c.id) as entries
    from agents a left join audit_entries c on c.tenant_id = a.tenant_id and c.event_type = 'agent.archived' and c.resource_id = a.id
    where a.tenant_id = $1
    group by a.id, a.status
    having count(c.id) <> case when a.status = 'archived' then 1 else 0 end`,

  'the lifecycle status of an agent follows from the changes in its audit trail, starting at proposed': `
    select a.id, a.lifecycle_status, state,
      count(*) filter (where e.details ->> 'new_state' = state) as came,
      count(*) filter (where e.details ->> 'previous_state' = state) as went
    from agents a cross join unnest('{proposed,approved,blocked,retired}'::text[]) state
    left join audit_entries e on e.tenant_id = a.tenant_id and e.event_type = 'agent.lifecycle.changed'
      and e.resource_id = a.id
    where a.tenant_id = $1 and a.source = 'runtime'
    group by a.id, a.lifecycle_status, state
    having count(*) filter (where e.details ->> 'new_state' = state)
      - count(*) filter (where e.details ->> 'previous_state' = state)
      <> (state = a.lifecycle_status)::int - (state = 'proposed')::int`,

  'the sealer refused no audit entry': `
    select entry_id, reason from audit_refused where tenant_id = $1`,

  'every governed agent that is not archived has an existing policy': `
    select a.id, a.policy_id from agents a
    left join policies p on p.tenant_id = a.tenant_id and p.id = a.policy_id
    where a.tenant_id = $1 and a.governance_state = 'governed' and a.status <> 'archived' and p.id is null`,

  'an approval of record names an existing version with the same content': `
    select a.id from agents a
    left join policy_versions v on v.tenant_id = a.tenant_id and v.policy_id = a.approved_policy_id
      and v.version = a.approved_version and v.content_hash = a.approved_hash
    where a.tenant_id = $1 and a.approved_policy_id is not null and v.policy_id is null
      and exists (select from policies p where p.tenant_id = a.tenant_id and p.id = a.approved_policy_id)`,

  'at most one finding of a type is open on an agent': `
    select agent_id, type, count(*) from findings where tenant_id = $1 and status = 'open'
    group by agent_id, type having count(*) > 1`,

  'each finding has one audit entry for its opening, and a closed finding has one for its closing': `
    select f.id, f.status, c.event_type, count(c.id)
    from findings f cross join (values ('finding.opened'), ('finding.closed')) e (event_type)
    left join audit_entries c on c.tenant_id = f.tenant_id and c.event_type = e.event_type and c.resource_id = f.id
    where f.tenant_id = $1
    group by f.id, f.status, c.event_type, e.event_type
    having count(c.id) <> case when e.event_type = 'finding.opened' or f.status = 'closed' then 1 else 0 end`,

  'at most one review of a kind is pending on an agent': `
    select agent_id, kind, count(*) from reviews where tenant_id = $1 and status = 'pending'
    group by agent_id, kind having count(*) > 1`,

  'each review has one audit entry for its opening, and a resolved review has one for its resolution': `
    select r.id, r.status, e.event_type, count(c.id)
    from reviews r cross join (values ('review.opened'), ('review.resolved')) e (event_type)
    left join audit_entries c on c.tenant_id = r.tenant_id and c.event_type = e.event_type and c.resource_id = r.id
    where r.tenant_id = $1
    group by r.id, r.status, e.event_type
    having count(c.id) <> case when e.event_type = 'review.opened' or r.status <> 'pending' then 1 else 0 end`,

  'a resolved review names who resolved it and when': `
    select id, status from reviews where tenant_id = $1 and status in ('approved', 'rejected', 'attested')
      and (resolved_by is null or resolved_at is null)`,

  'a finding, a review and an approval have the environment of their agent': `
    select r.id, r.environment_id from (
      select tenant_id, id, agent_id, environment_id from findings
      union all select tenant_id, id, agent_id, environment_id from reviews
      union all select tenant_id, id, agent_id, environment_id from approvals) r
    join agents a on a.tenant_id = r.tenant_id and a.id = r.agent_id
    where r.tenant_id = $1 and r.environment_id is distinct from a.environment_id`,

  'the evidence of an agent says whether the agent is archived, has a coverage gap, and where it is': `
    select v.agent_id, v.environment_id, v.is_archived, v.has_gap
    from agent_evidence v join agents a on a.tenant_id = v.tenant_id and a.id = v.agent_id
    where v.tenant_id = $1 and (v.is_archived <> (a.status = 'archived')
      or (not v.is_archived and v.environment_id is distinct from a.environment_id)
      or v.has_gap <> exists (select from findings f where f.tenant_id = v.tenant_id and f.agent_id = v.agent_id
        and f.status = 'open' and f.type = 'coverage_gap'))`,

  'an open finding says whether its agent is archived': `
    select f.id, f.is_archived
    from findings f join agents a on a.tenant_id = f.tenant_id and a.id = f.agent_id
    where f.tenant_id = $1 and f.status = 'open' and f.is_archived <> (a.status = 'archived')`,
}
