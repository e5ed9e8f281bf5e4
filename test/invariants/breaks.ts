/** For each invariant, a change that breaks it and must be found. `$1` is the tenant; run as the owner, and rolled back. */
export const breaks: Record<string, string> = {
  'versions of a policy count 1..n without gap or reuse, and the newest is the current one': `
    delete from policy_versions where tenant_id = $1 and version = 2`,
  'a policy equals the snapshot of its newest version, rules in order of priority': `
    update policy_rules set reason = 'another' where tenant_id = $1`,
  'each version of a policy has exactly one audit entry, and each entry its version': `
    update policy_versions set version = version + 100000 where tenant_id = $1 and version = 3`,
  'each agent has exactly one audit entry of its creation, and each entry its agent with a key that works': `
    delete from credential_lookup where tenant_id = $1 and kind = 'agent'`,
  'an agent is archived exactly when its audit trail says so, once': `
    update agents set status = 'archived' where tenant_id = $1 and status = 'active'`,
  'an agent stands on the approval axis where the moves of its audit trail lead, from proposed': `
    update agents set lifecycle_status = 'retired' where tenant_id = $1`,
  'the sealer refused no audit entry': `
    insert into audit_refused (tenant_id, entry_id, reason, refused_at) values ($1, gen_random_uuid(), 'mac_missing', now())`,
  'no governed agent in use points at nothing': `
    update agents set policy_id = null where tenant_id = $1`,
  'an approval of record names a version that exists, by its content': `
    update agents set approved_hash = 'another' where tenant_id = $1`,
  'at most one finding of a type is open on an agent': `
    insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
    select tenant_id, gen_random_uuid(), id, 'coverage_gap', 'high', 'open', '{}', '', now()
    from agents, generate_series(1, 2) where tenant_id = $1`,
  'each finding has one audit entry of its opening, and one of its closing when it is closed': `
    insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
    select tenant_id, gen_random_uuid(), id, 'evidence_stale', 'high', 'closed', '{}', '', now()
    from agents where tenant_id = $1`,
  'at most one review of a kind is pending on an agent': `
    insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, opened_at)
    select tenant_id, gen_random_uuid(), id, 'attestation', 'pending', 'owner', now()
    from agents, generate_series(1, 2) where tenant_id = $1`,
  'each review has one audit entry of its opening, and one of its resolution when it is over': `
    update reviews set status = 'pending' where tenant_id = $1`,
  'a resolved review says by whom and when': `
    update reviews set resolved_by = null where tenant_id = $1`,
}
