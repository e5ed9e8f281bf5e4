import type { Section } from '../rule.ts'

export const agents: Section = {
  title: 'Agents',
  rules: [
    {
      id: 'agents.seen.1',
      says: 'An agent the caller cannot see is 404, exactly as an unknown id.',
      heldBy: [
        '%s is 404 with the same bytes for an unknown agent, an agent of another tenant and an invisible one; nothing is written',
        'an agent the caller cannot see > 404 comes before the 400 of a malformed body',
      ],
    },
    {
      id: 'agents.seen.2',
      says: 'A scoped user sees the granted agents. An environment-bound key sees the agents of its environment.',
      heldBy: [
        'a scoped user sees the agents granted to them, a bound key those of its environment, and a scoped user’s bound key those that both see',
      ],
    },
    {
      id: 'agents.list.1a',
      says: 'A filter value out of its enum is 400.',
      heldBy: ['GET /agents > 400 with the name %s if its value is unknown'],
    },
    {
      id: 'agents.list.1b',
      says: 'The execution_coverage filter uses the same computation as the list items.',
      heldBy: [
        'with the same result for the agent, its list item, the list’s filter and its own endpoint',
        'a filter by a rare state also applies the other filters and a scoped user’s visibility',
        'an agent leaves the filter stale with its next evidence',
      ],
    },
    {
      id: 'agents.list.1c',
      says: 'The list contains governed agents unless governance_state names another state. The other filters narrow it.',
      heldBy: [
        'lists governed agents unless governance_state selects another state',
        'filters by status, lifecycle_status and search; search is a case-insensitive part of the name, without wildcards',
      ],
    },
    {
      id: 'agents.list.2',
      says: 'The list contains runtime and discovered agents. source and governance_state filter the queue.',
      heldBy: ['includes agents of the runtime and of connected platforms; source filters the discovery queue'],
    },
    {
      id: 'agents.list.3',
      says: 'PageSize and PageToken select the page.',
      heldBy: [
        'page_size defaults to 50 and is clamped to 1..200; PageSize and PageToken are accepted too',
        'returns all agents once and in order over several pages, even if agents are created in between',
      ],
    },
    {
      id: 'agents.create.3a',
      says: 'The secret key is returned once in agent_key and cannot be read later.',
      heldBy: ['the key is shown once and works at the edge, and only its digest is stored'],
    },
    {
      id: 'agents.create.3b',
      says: 'With the gate alert or enforce, an agent is proposed and gets an onboarding review requested by the caller. With off, it is approved.',
      heldBy: [
        'gate %s: the agent is proposed and an onboarding review is opened, requested by the caller',
        'gate off: the agent is approved and no review is opened',
      ],
    },
    {
      id: 'agents.create.3c',
      says: 'With an environment-bound key, a missing environment_id means the key’s environment. Another environment is 403.',
      heldBy: [
        'with an environment-bound key, a request without an environment uses the key’s; another environment is 403, even with a malformed body',
      ],
    },
    {
      id: 'agents.put.4',
      says: 'An omitted field is left unchanged.',
      heldBy: ['PUT /agents/{id} > 200: an omitted field is left unchanged'],
    },
    {
      id: 'agents.delete.1',
      says: 'Deleting archives an agent that the caller can see, with 204.',
      heldBy: [
        '204: the agent is archived, from any status, and stays readable; a second call is 204 and writes nothing',
      ],
    },
    {
      id: 'agents.assign-policy.5a',
      says: 'For members and above, with every plan.',
      heldBy: ['a viewer changes nothing > %s is 403', 'POST /agents/{id}/assign-policy > is not plan-gated'],
    },
    {
      id: 'agents.assign-policy.5b',
      says: 'The policy must belong to the tenant. For a runtime agent it must also cover the agent’s environment.',
      heldBy: [
        '404 for an unknown policy and a policy of another tenant; 400 for a malformed id and for a runtime agent if the policy is of another environment',
        'an agent of a connected platform gets a policy of any environment',
      ],
    },
    {
      id: 'agents.assign-policy.5c',
      says: 'A discovered agent becomes governed. A governed agent gets the new policy. The governance mode follows the policy.',
      heldBy: [
        '200: a %s agent becomes governed under the policy',
        '200: a governed agent gets another policy, of its environment or of all environments',
      ],
    },
    {
      id: 'agents.lifecycle.6a',
      says: 'Only a manager or owner may do it.',
      heldBy: ['a viewer changes nothing > %s is also 403 for a member', 'a viewer changes nothing > %s is 403'],
    },
    {
      id: 'agents.lifecycle.6b',
      says: 'Only an owner sets approved: 403 for a manager and for every environment-bound key, even an owner’s.',
      heldBy: [
        'only an owner changes the status to approved, without an approval of record: 403 for a manager and for a bound key, even an owner’s',
      ],
    },
    {
      id: 'agents.lifecycle.6c',
      says: 'The reason is required and not empty.',
      heldBy: ['400 without a reason, with an empty reason and with an unknown status; 403 comes first'],
    },
    {
      id: 'agents.lifecycle.6d',
      says: 'The audit entry is agent.lifecycle.changed, with the actor, the previous status and the reason.',
      heldBy: ['200: the status changes, audited with actor, previous status and reason'],
    },
    {
      id: 'agents.lifecycle.6e',
      says: 'A request for the current value changes nothing and returns the agent.',
      heldBy: ['200 and nothing is written if the status is already set, also for a manager who asks for approved'],
    },
    {
      id: 'agents.lifecycle.6f',
      says: 'It changes the lifecycle status outside the review queue.',
      heldBy: ['changes the status outside the review queue: it opens no review and leaves pending reviews open'],
    },
    {
      id: 'agents.suppress.7a',
      says: 'For members and above. Idempotent. The agent leaves the default discovery queue.',
      heldBy: [
        '204: the agent leaves the default discovery queue; a second call is 204 and writes nothing',
        '404 for a scoped caller, for any agent that they cannot see',
      ],
    },
    {
      id: 'agents.suppress.7b',
      says: 'A caller with full access gets 204 even for an unknown id or another tenant’s agent.',
      heldBy: [
        '204 for a caller with full access, also for an unknown agent and for an agent of another tenant, which does not change',
      ],
    },
    {
      id: 'agents.suppress.7c',
      says: 'A caller who sees only some agents gets 404 for any they cannot see.',
      heldBy: ['404 for a scoped caller, for any agent that they cannot see'],
    },
    {
      id: 'agents.coverage.8',
      says: 'Execution coverage is readable by every role.',
      heldBy: ['execution-coverage is readable by every role'],
    },
    {
      id: 'coverage.findings.1',
      says: 'Coverage findings open and close by themselves with the evidence.',
      heldBy: [
        'opens if the runtime claims less than full mediation, and closes when it claims full mediation',
        'opens on %s, and closes with a later window that is mediated whole',
        'opens by the job if an agent’s newest evidence is older than 15 minutes, and closes with fresh evidence',
        'are open exactly if the evidence shows them, for any reports in any order',
      ],
    },
    {
      id: 'coverage.findings.2',
      says: 'At most one finding of a type is open on an agent, even with concurrent reports.',
      heldBy: [
        'match the last of several concurrent reports, with at most one open finding per type',
        'concurrent sweeps and reports open one finding, and none for fresh evidence',
        'at most one is open, however many reports and edges; a repeated heartbeat writes nothing',
      ],
    },
    {
      id: 'coverage.findings.3',
      says: 'Opening and closing a finding writes an audit entry. Callers who see the agent see its findings.',
      heldBy: [
        'opens if the runtime claims less than full mediation, and closes when it claims full mediation',
        'are shown with their entries to callers who see the agent; a bound key sees those of its environment’s agents',
      ],
    },
    {
      id: 'approval.running.1',
      says: 'An agent that is reported running without being approved has the finding unapproved_running until it is approved.',
      heldBy: [
        'opens when a heartbeat reports a policy running on an agent that is not approved',
        'closes at once when a review or an owner approves the agent',
      ],
    },
    {
      id: 'agents.drift.1',
      says: 'A missing approval or edge report is shown as missing; such an agent has no drift.',
      heldBy: ['a missing approval or a missing edge report is shown as missing, never as a match'],
    },
    {
      id: 'drift.1',
      says: 'A review that approves or attests makes the policy version in force the approval of record.',
      heldBy: [
        'a review that approves an agent sets the policy version in force as the approval of record',
        'a review that attests an agent sets the approval of record and changes no status',
      ],
    },
    {
      id: 'drift.2',
      says: 'A heartbeat that reports another version than the approved one raises drift and its finding.',
      heldBy: [
        'a heartbeat that reports another version than the approved one opens policy_drift_unapproved and a change review',
        'an agent that runs another policy drifts, even if the content is the same',
      ],
    },
    {
      id: 'drift.3',
      says: 'Drift opens a change review.',
      heldBy: [
        'a heartbeat that reports another version than the approved one opens policy_drift_unapproved and a change review',
        'a change review is about the running version it was opened for; another running version supersedes it',
      ],
    },
    {
      id: 'drift.4',
      says: 'Approving the change review makes the running configuration the approved configuration.',
      heldBy: ['approving the change review sets the running version as approved, not a newer version in force'],
    },
    {
      id: 'drift.5',
      says: 'After the approved version is restored, the finding closes at the next heartbeat.',
      heldBy: [
        'after the approved version is restored, the next heartbeat closes the finding and supersedes its review',
      ],
    },
  ],
}
