// Generated from the migrations by `npm run generate`. Do not edit.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** The type of a JSON column. The driver parses JSON when it reads the column. To write the column, pass JSON text. */
export type Json = ColumnType<any, string, string>

export interface DB {
  account_epochs: {
    account_id: string
    epoch: Generated<number>
  }
  account_lookup: {
    account_id: string
    tenant_id: string
    user_id: string
  }
  agent_evidence: {
    tenant_id: string
    agent_id: string
    mode: 'full' | 'partial' | 'none' | null
    tools: string[] | null
    mediation_points: string[] | null
    edge_version: string | null
    attested_at: string | null
    window_start: string | null
    window_end: string | null
    actions_seen: number | null
    actions_mediated: number | null
    unmediated_seen: number | null
    reported_at: string | null
    attested_json: GeneratedAlways<string>
    observed_json: GeneratedAlways<string>
    shows: GeneratedAlways<string>
    environment_id: string | null
    is_archived: Generated<boolean>
    has_gap: Generated<boolean>
    told_state: string | null
  }
  agent_grants: {
    tenant_id: string
    id: string
    user_id: string
    agent_id: string
    created_at: string
  }
  agent_profiles: {
    tenant_id: string
    agent_id: string
    profile_hash: string
    profile_seq: number
    drill_id: string | null
  }
  agent_runtime: {
    tenant_id: string
    agent_id: string
    last_heartbeat_at: string
    running_policy_id: string | null
    running_version: number | null
    running_hash: string | null
    reported_at: string | null
    running_since: string | null
    running_edge_id: string | null
    running_edge_name: string | null
    running_edge_version: string | null
    heartbeat_slot: Generated<string>
  }
  agents: {
    tenant_id: string
    id: string
    name: string
    description: Generated<string>
    status: 'registered' | 'active' | 'suspended' | 'archived'
    source: 'runtime' | 'github' | 'salesforce' | 'm365' | 'snowflake'
    governance_state: 'discovered' | 'governed' | 'suppressed'
    lifecycle_status: 'proposed' | 'approved' | 'blocked' | 'retired'
    environment_id: string | null
    policy_id: string | null
    framework: Generated<string>
    model: Generated<string>
    tools: Generated<string[]>
    metadata: Generated<Json>
    owner_user_id: string | null
    key_hash: Buffer | null
    platform_id: string | null
    external_id: string | null
    approved_policy_id: string | null
    approved_version: number | null
    approved_hash: string | null
    created_at: string
    updated_at: string
    has_evidence: Generated<boolean>
    approved_by: string | null
    approved_at: string | null
    approved_review_id: string | null
    drift_state: Generated<'true' | 'false' | 'unknown'>
    heard: Generated<boolean>
    attention: Generated<number>
    wire_fields: GeneratedAlways<string | null>
    name_key: GeneratedAlways<string>
    key_rotated_at: string | null
  }
  api_keys: {
    tenant_id: string
    id: string
    created_by: string
    name: string
    key_prefix: string
    key_hash: Buffer
    scopes: Generated<string[]>
    environment_id: string | null
    expires_at: string | null
    last_used_at: string | null
    revoked_at: string | null
    created_at: string
  }
  approval_deadlines: {
    tenant_id: string
    approval_id: string
    expires_at: string
  }
  approval_links: {
    tenant_id: string
    token_hash: Buffer
    approval_id: string
    user_id: string
    created_at: string
  }
  approvals: {
    tenant_id: string
    id: string
    agent_id: string
    tool: string
    args_digest: string
    arguments: Json | null
    policy_id: string
    policy_version: number
    policy_hash: string
    rule_id: string | null
    rule_name: string | null
    reason: string
    request_hash: string
    status: 'pending' | 'approved' | 'rejected' | 'expired' | 'consumed'
    assigned_role: 'manager' | 'owner'
    requested_at: string
    expires_at: string
    resolved_by: string | null
    resolved_at: string | null
    comment: string | null
    consumed_at: string | null
    environment_id: string | null
    session_id: string | null
    on_behalf_of: string | null
    chain: Json | null
    labels: string[] | null
    content: Json | null
    edge_id: string | null
    arguments_exact: boolean | null
    last_resort_user_id: Generated<string>
    ended_because: 'time' | 'frozen' | 'suspended' | 'archived' | 'blocked' | 'retired' | null
    freeze_id: string | null
    agent_owner_user_id: Generated<string>
  }
  audit_checkpoints: {
    tenant_id: string
    seq: number
    chain_hash: Buffer
    kid: string
    signature: string
    signed_at: string
    previous_seq: number | null
  }
  audit_entries: {
    tenant_id: string
    id: string
    source: 'control_plane' | 'edge'
    event_type: string
    category: 'people' | 'organization' | 'agent' | 'policy'
    outcome: Generated<string>
    actor_type: string
    actor_user_id: string | null
    actor_name: string
    actor_email: string
    api_key_id: string | null
    api_key_prefix: string | null
    api_key_name: string | null
    resource_type: string
    resource_id: string | null
    resource_name: string
    agent_id: string | null
    environment_id: string | null
    details: Json
    request_id: string
    ip: string
    user_agent: string
    created_at: string
  }
  audit_heads: {
    tenant_id: string
    seq: number
    chain_hash: Buffer
  }
  audit_refused: {
    tenant_id: string
    entry_id: string
    reason: 'entry_missing' | 'mac_missing' | 'mac_wrong' | 'key_unknown'
    mac: Buffer | null
    refused_at: string
  }
  audit_seals: {
    tenant_id: string
    seq: number
    entry_id: string
    entry_hash: Buffer
    chain_hash: Buffer
    sealed_at: string
  }
  audit_unsealed: {
    tenant_id: string
    entry_id: string
    mac: Buffer | null
  }
  audit_verification_queue: {
    tenant_id: string
    requested_by: string | null
    leased_until: string
    attempts: Generated<number>
  }
  audit_verifications: {
    tenant_id: string
    at: string
    valid: boolean
    entries: number
    took_ms: number
    by_user_id: string | null
    by_name: string | null
  }
  content_bindings_versions: {
    tenant_id: string
    policy_id: string
    version: number
    bindings: Json
    pattern_hashes: string[]
    content_hash: string
    saved_by: Json
    saved_at: string
  }
  content_keys: {
    tenant_id: string
    environment_id: string
    key_sealed: string
    created_at: string
  }
  content_pattern_revisions: {
    tenant_id: string
    hash: string
    pattern_id: string
    name: string
    definition: Json
  }
  content_patterns: {
    tenant_id: string
    id: string
    name: string
    group_name: string
    kind: 'regex' | 'words'
    expression: string | null
    words: string[] | null
    created_at: string
  }
  counted_gauges: {
    name: string
    tenant: string
    label: string
    value: number
  }
  credential_lookup: {
    hash: Buffer
    kind: 'api_key' | 'agent' | 'edge' | 'invitation' | 'share_link' | 'approval_link'
    tenant_id: string
    id: string
  }
  credential_names: {
    tenant_id: string
    environment_id: string
    name: string
    version: number
  }
  credential_uses: {
    tenant_id: string
    credential_id: string
    edge_id: string
    server: string
    version: number
    audited_hour: string
    used_at: string
  }
  credentials: {
    tenant_id: string
    id: string
    environment_id: string
    name: string
    kind: 'bearer' | 'header' | 'basic' | 'environment' | 'oauth_client_credentials'
    config: Generated<Json>
    secret_sealed: string
    version: number
    created_by: string | null
    last_used_at: string | null
    created_at: string
    updated_at: string
  }
  decision_agent_days: {
    tenant_id: string
    bucket: string
    agent_id: string
    environment_id: string
    calls: number
    magnitude: number
  }
  decision_anchors: {
    tenant_id: string
    kid: string
    seq: number
    hash: Buffer
    day: string
    entry_id: string
  }
  decision_arguments: {
    tenant_id: string
    decision_id: string
    retention_days: number
    filed_at: string
    at: string
    kind_id: string
    agent_id: string
    environment_id: string
    arguments: Json
  }
  decision_days: {
    tenant_id: string
    subject_id: string
    bucket: string
    kind_id: string
    edge_id: string
    calls: number
  }
  decision_gaps: {
    tenant_id: string
    kid: string
    from_seq: number
    to_seq: number
    kind: 'gap' | 'fork'
    agent_id: string | null
    first_prev: Buffer | null
    last_hash: Buffer | null
    opened_at: string
  }
  decision_hours: {
    tenant_id: string
    subject_id: string
    bucket: string
    kind_id: string
    edge_id: string
    calls: number
  }
  decision_ids: {
    tenant_id: string
    decision_id: string
    retention_days: number
    filed_at: string
  }
  decision_kinds: {
    tenant_id: string
    id: string
    environment_id: string | null
    policy_id: string | null
    policy_version: number | null
    rule_id: string | null
    tool: string
    effect: 'allow' | 'deny' | 'require_approval'
    mode: 'enforce' | 'monitor'
  }
  decision_links: {
    tenant_id: string
    kid: string
    seq: number
    record_hash: Buffer
    prev_hash: Buffer
    record_digest: Buffer
    batch_signature: string | null
    received_at: string
  }
  decision_listeners: {
    tenant_id: string
    until: string
  }
  decision_minutes: {
    tenant_id: string
    subject_id: string
    bucket: string
    kind_id: string
    edge_id: string
    calls: number
  }
  decision_new_names: {
    tenant_id: string
    day: string
    tools: number
    kinds: number
  }
  decision_records: {
    tenant_id: string
    decision_id: string
    retention_days: number
    filed_at: string
    at: string
    received_at: string
    agent_id: string
    environment_id: string | null
    edge_id: string | null
    tool: string
    effect: 'allow' | 'deny' | 'require_approval'
    mode: 'enforce' | 'monitor'
    rule_id: string | null
    policy_id: string | null
    policy_version: number | null
    policy_hash: string | null
    args_digest: string
    approval_id: string | null
    session_id: string | null
    on_behalf_of: string | null
    duration_us: number | null
    details: Json | null
    result_details: Json | null
    result_of: string | null
    kid: string | null
    seq: number | null
    prev_hash: Buffer | null
    record_hash: Buffer | null
    record_digest: Buffer | null
    batch_signature: string | null
    sent_record: string | null
    kind_hash: GeneratedAlways<number>
  }
  decision_spans: {
    tenant_id: string
    retention_days: number
    day: string
    first_at: string
    last_at: string
  }
  decision_tools: {
    tenant_id: string
    tool: string
  }
  decision_waiting_results: {
    tenant_id: string
    result_of: string
    decision_id: string
    retention_days: number
    received_at: string
    place: number
    agent_id: string
    edge_id: string | null
    kid: string | null
    details: Json
  }
  decisions: {
    tenant_id: string
    decision_id: string
    agent_id: string
    tool: string
    effect: 'allow' | 'deny' | 'require_approval'
    mode: 'enforce' | 'monitor'
    rule_id: string | null
    policy_version: number | null
    args_digest: string
    at: string
    received_at: string
  }
  delegation_lists: {
    tenant_id: string
    environment_id: string
    version: number
  }
  delegations: {
    tenant_id: string
    id: string
    root_id: string
    parent_id: string | null
    ancestors: string[]
    depth: number
    environment_id: string
    agent_id: string
    subject_user_id: string
    chain: Json
    tools: string[]
    created_by: string | null
    created_at: string
    expires_at: string
    ended_at: string | null
    ended_because: 'revoked' | 'access_lost' | 'suspended' | 'archived' | 'blocked' | 'retired' | null
    ended_by: string | null
    ended_in: number | null
  }
  edge_instances: {
    tenant_id: string
    credential_id: string
    instance_id: string
    seq: number
    edge_version: Generated<string>
    seen_at: string
    agents: Generated<number>
    closes_at: string | null
    environment_id: string | null
    started_at: Generated<string>
    features: string[] | null
    is_late: Generated<boolean>
    agent_ids: string[] | null
  }
  edge_keys: {
    tenant_id: string
    kid: string
    credential_id: string
    edge_id: string | null
    agent_id: string | null
    public_key_pem: string
    attestation: string
    created_at: string
    used_at: string
    head_seq: Generated<number>
    head_hash: Generated<Buffer>
    highest_seq: Generated<number>
    broken_from: number | null
    anchored_day: string | null
    anchored_hash: Generated<Buffer>
  }
  edges: {
    tenant_id: string
    id: string
    name: string
    environment_id: string
    key_hash: Buffer
    key_prefix: string
    created_by: string | null
    created_at: string
    revoked_at: string | null
    last_heartbeat_at: string | null
    silent_since: string | null
  }
  email_lookup: {
    address: string
    tenant_id: string
    user_id: string
  }
  environment_access: {
    tenant_id: string
    id: string
    user_id: string
    environment_id: string
    created_at: string
  }
  environments: {
    tenant_id: string
    id: string
    name: string
    slug: string
    is_production: Generated<boolean>
    governance_mode: Generated<'enforce' | 'monitor'>
    created_at: string
    wire_json: GeneratedAlways<string>
    tool_pinning: Generated<'off' | 'alert' | 'enforce'>
    keep_arguments_for_replay: Generated<boolean>
  }
  events: {
    tenant_id: string
    slot: number
    id: string
    place: number
    xact_id: string
    snapshot: string
    stored_at: string
    at: string
    type: string
    audience: 'people' | 'organization' | 'agent' | 'policy' | 'edge'
    is_audited: boolean
    resource_type: string
    resource_id: string
    agent_id: string | null
    environment_id: string | null
    details: Json | null
  }
  execution_stats: {
    tenant_id: string
    agent_id: string
    window_start: string
    window_end: string
    actions_seen: number
    actions_mediated: number
    unmediated_seen: number
    by_effect: Json | null
    reported_at: string
  }
  faults: {
    tenant_id: string
    name: string
  }
  findings: {
    tenant_id: string
    id: string
    agent_id: string
    type: 'policy_drift_unapproved' | 'coverage_gap' | 'evidence_stale' | 'unapproved_running' | 'approval_without_record' | 'decision_gap' | 'tool_definition_changed'
    severity: string
    status: 'open' | 'closed'
    evidence: Json
    remediation: string
    opened_at: string
    closed_at: string | null
    wire_json: GeneratedAlways<string>
    environment_id: string | null
    attention: GeneratedAlways<number>
    is_archived: Generated<boolean>
    is_live: GeneratedAlways<boolean>
  }
  freeze_confirmations: {
    tenant_id: string
    freeze_id: string
    credential_id: string
    instance_id: string
    edge_id: string | null
    agent_id: string | null
    environment_id: string | null
    said_at: string
    received_at: string
    after_ms: number
    kid: string | null
    signature: string | null
  }
  freeze_endings: {
    tenant_id: string
    freeze_id: string
  }
  freezes: {
    tenant_id: string
    id: string
    scope: 'agent' | 'environment' | 'organization'
    target_id: string
    environment_id: string | null
    name: string
    reason: string
    drill: boolean
    agents: number
    approvals_ended: Generated<number>
    created_by: string | null
    created_at: string
    audit_entry_id: string
    lifted_by: string | null
    lifted_at: string | null
    lift_reason: string | null
    is_open: Generated<boolean>
    edges_total: number
    edges_confirmed: number | null
    edges_unreachable: number | null
    confirmed_all_at: string | null
    is_active: GeneratedAlways<boolean>
  }
  installation_secrets: {
    name: string
    fingerprint: string
    changed_at: Generated<string>
  }
  invitations: {
    tenant_id: string
    user_id: string
    token_hash: Buffer
    invited_by: string | null
    created_at: string
    expires_at: string
  }
  known_devices: {
    mark: Buffer
    account_id: string
    created_at: string
    last_seen_at: string
  }
  late_marks: {
    tenant_id: string
    marked_before: string
  }
  mail_counts: {
    subject: Buffer
    period: 'hour' | 'day'
    starts_at: string
    sent: Generated<number>
    withheld: Generated<number>
  }
  mail_proofs: {
    token_hash: Buffer
    account_id: string
    purpose: 'verify_email' | 'sign_in'
    created_at: string
    expires_at: string
  }
  password_resets: {
    token_hash: Buffer
    account_id: string
    expires_at: string
    used_at: string | null
  }
  plans: {
    name: string
    rank: number
    max_users: number | null
  }
  platforms: {
    tenant_id: string
    id: string
    kind: 'github' | 'salesforce' | 'm365' | 'snowflake'
    name: string
    config: Generated<Json>
    auth_secret_sealed: string | null
    last_sync_status: string | null
    last_sync_at: string | null
    last_error: string | null
    created_by: string | null
    created_at: string
  }
  policies: {
    tenant_id: string
    id: string
    name: string
    description: Generated<string>
    environment_id: string | null
    override_mode: Generated<'inherit' | 'enforce' | 'monitor'>
    default_effect: Generated<'allow' | 'deny' | 'require_approval'>
    dlp_enabled: Generated<boolean>
    version: number
    content_hash: string
    created_at: string
    updated_at: string
    wire_json: GeneratedAlways<string>
    bindings_version: Generated<number>
    bindings_hash: string | null
    name_key: GeneratedAlways<string>
  }
  policy_rules: {
    tenant_id: string
    id: string
    policy_id: string
    name: string
    priority: number
    enabled: Generated<boolean>
    effect: 'allow' | 'deny' | 'require_approval'
    match: Json
    reason: Generated<string>
    limit: Json | null
  }
  policy_versions: {
    tenant_id: string
    policy_id: string
    version: number
    produced_by: 'created' | 'updated' | 'rule_created' | 'rule_updated' | 'rule_deleted' | 'restored'
    restored_from: number | null
    saved_by: Json
    saved_at: string
    change_summary: Json
    change_class: 'tightens' | 'loosens' | 'mixed' | 'neutral'
    snapshot: Json
    content_hash: string
  }
  profile_confirmations: {
    tenant_id: string
    agent_id: string
    credential_id: string
    instance_id: string
    profile_hash: string
    profile_seq: number
    received_at: string
    stopped_at: string | null
    kid: string | null
  }
  refresh_tokens: {
    token_hash: Buffer
    session_id: string
    issued_at: string
    expires_at: string
    used_at: string | null
  }
  report_queue: {
    tenant_id: string
    report_id: string
    leased_until: string
    attempts: Generated<number>
  }
  report_share_links: {
    tenant_id: string
    id: string
    report_id: string
    token_hash: Buffer
    created_by: string | null
    created_at: string
    expires_at: string | null
    revoked_at: string | null
  }
  reports: {
    tenant_id: string
    id: string
    environment_id: string | null
    title: string
    generated_by: string | null
    snapshot: Json | null
    created_at: string
    deleted_at: string | null
    status: Generated<'running' | 'ready' | 'failed'>
    progress_percent: Generated<number>
    failure: string | null
    request: Json | null
  }
  reviews: {
    tenant_id: string
    id: string
    agent_id: string
    kind: 'onboarding' | 'change' | 'attestation'
    status: 'pending' | 'approved' | 'rejected' | 'attested' | 'superseded'
    assigned_role: 'manager' | 'owner'
    requested_by: string | null
    opened_at: string
    resolved_by: string | null
    resolved_at: string | null
    comment: string | null
    environment_id: string | null
    last_resort_user_id: GeneratedAlways<string>
    subject: Json | null
  }
  saml_domain_lookup: {
    domain: string
    tenant_id: string
  }
  saml_provider_lookup: {
    provider_id: string
    tenant_id: string
  }
  schema_migrations: {
    name: string
    applied_at: string
  }
  sessions: {
    id: string
    account_id: string
    created_at: string
    revoked_at: string | null
    ip: string | null
    user_agent: string | null
    expires_at: Generated<string>
    renewal_ended_at: string | null
    last_used_at: Generated<string>
  }
  sign_in_failures: {
    tenant_id: string
    user_id: string
    minute: string
    attempts: number
    last_at: string
    ip: string
    request_id: string
  }
  tenants: {
    id: string
    name: string
    plan: Generated<string>
    max_users_override: number | null
    governance_gate: Generated<'off' | 'alert' | 'enforce'>
    saml_enabled: Generated<boolean>
    saml_entity_id: Generated<string>
    saml_sso_url: Generated<string>
    saml_certificate: Generated<string>
    saml_email_domain: Generated<string>
    saml_provider_id: Generated<string>
    created_at: string
    decision_retention_days: Generated<number>
    earlier_retention_days: Generated<number[]>
  }
  tool_definitions: {
    tenant_id: string
    tool_id: string
    hash: string
    definition: string
    warnings: Generated<Json>
    agent_id: string | null
    first_seen_at: string
    last_seen_at: string
    declared_args: Json | null
  }
  tool_inventories: {
    tenant_id: string
    environment_id: string
    version: number
    tools: number
    bytes: Generated<number>
    settled_changes: string | null
    settled_at: string | null
  }
  tool_reports: {
    tenant_id: string
    tool_id: string
    reporter_id: string
    declared_for: string
    hash: string
    reported_at: string
  }
  tools: {
    tenant_id: string
    id: string
    environment_id: string
    tool: string
    server: string
    name: string
    title: string | null
    description: string | null
    latest_hash: string
    pins: Generated<string[]>
    labels: Generated<string[]>
    labels_by_people: Generated<boolean>
    agent_id: string | null
    block_reason: string | null
    changed_in: number
    first_seen_at: string
    last_seen_at: string
  }
  users: {
    tenant_id: string
    id: string
    email: string
    email_lower: string
    display_name: Generated<string>
    role: 'viewer' | 'member' | 'manager' | 'owner'
    status: 'pending' | 'active'
    academy_only: Generated<boolean>
    mfa_enrolled: Generated<boolean>
    access_scope: Generated<'all' | 'scoped'>
    account_id: string | null
    last_active_at: string | null
    created_at: string
    email_verified: Generated<boolean>
    federated: Generated<boolean>
    read_only: Generated<boolean>
  }
}
