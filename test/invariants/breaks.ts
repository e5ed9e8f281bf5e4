/** For each invariant, a statement that breaks it. `$1` is the tenant. Run as the owner role and rolled back. */
export const breaks: Record<string, string> = {
  'versions of a policy are 1..n without gaps, and the newest is the current version': `
    delete from policy_versions where tenant_id = $1 and version = 2`,
  'a policy equals the snapshot of its newest version, with rules in priority order': `
    update policy_rules set reason = 'another' where tenant_id = $1`,
  'each policy version has exactly one audit entry, and each entry has its version': `
    update policy_versions set version = version + 100000 where tenant_id = $1 and version = 3`,
  'each agent has exactly one audit entry for its creation, and each entry has an agent with a valid key': `
    delete from credential_lookup where tenant_id = $1 and kind = 'agent'`,
  'an archived agent has exactly one audit entry for it, and other agents have no such entry': `
    update agents set status = 'archived' where tenant_id = $1 and status = 'active'`,
  'the lifecycle status of an agent follows from the changes in its audit trail, starting at proposed': `
    update agents set lifecycle_status = 'retired' where tenant_id = $1`,
  'the sealer refused no audit entry': `
    insert into audit_refused (tenant_id, entry_id, reason, refused_at) values ($1, gen_random_uuid(), 'mac_missing', now())`,
  'every governed agent that is not archived has an existing policy': `
    update agents set policy_id = null where tenant_id = $1`,
  'an approval of record names an existing version with the same content': `
    update agents set approved_hash = 'another' where tenant_id = $1`,
  'at most one finding of a type is open on an agent': `
    insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
    select tenant_id, gen_random_uuid(), id, 'coverage_gap', 'high', 'open', '{}', '', now()
    from agents, generate_series(1, 2) where tenant_id = $1`,
  'each finding has one audit entry for its opening, and a closed finding has one for its closing': `
    insert into findings (tenant_id, id, agent_id, type, severity, status, evidence, remediation, opened_at)
    select tenant_id, gen_random_uuid(), id, 'evidence_stale', 'high', 'closed', '{}', '', now()
    from agents where tenant_id = $1`,
  'at most one review of a kind is pending on an agent': `
    insert into reviews (tenant_id, id, agent_id, kind, status, assigned_role, opened_at)
    select tenant_id, gen_random_uuid(), id, 'attestation', 'pending', 'owner', now()
    from agents, generate_series(1, 2) where tenant_id = $1`,
  'each review has one audit entry for its opening, and a resolved review has one for its resolution': `
    update reviews set status = 'pending' where tenant_id = $1`,
  'a resolved review names who resolved it and when': `
    update reviews set resolved_by = null where tenant_id = $1`,
  'a finding, a review and an approval have the environment of their agent': `
    update reviews set environment_id = gen_random_uuid() where tenant_id = $1`,
  'the evidence of an agent says whether the agent is archived, has a coverage gap, and where it is': `
    update agent_evidence set has_gap = not has_gap where tenant_id = $1`,
  'an open finding says whether its agent is archived': `
    update findings set status = 'open', is_archived = not is_archived where tenant_id = $1`,
}
