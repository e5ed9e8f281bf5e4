import type { Section } from '../rule.ts'

export const agents: Section = {
  title: 'Agents',
  rules: [
    {
      id: 'agents.seen.1',
      says: 'An agent the caller cannot see is 404, exactly as an unknown id.',
      heldBy: [
        '%s is 404, the same bytes for unknown, foreign and invisible; nothing is written',
        'an agent the caller cannot see > is 404 before a malformed body is 400',
      ],
    },
    {
      id: 'agents.seen.2',
      says: 'A scoped user sees the granted agents. An environment-bound key sees the agents of its environment.',
      heldBy: ['a scoped user sees the agents granted to them, a bound key its environment’s, and both together'],
    },
    {
      id: 'agents.list.1a',
      says: 'A filter value out of its enum is 400.',
      heldBy: ['GET /agents > 400 that names %s when its value is out of the enum'],
    },
    {
      id: 'agents.list.1b',
      says: 'The execution_coverage filter uses the same computation as the list items.',
      heldBy: [
        'by one computation for the agent, its list item, the list’s filter and its own endpoint',
        'the filter of a rare state keeps to the other filters, and to what a scoped user sees',
        'an agent leaves the filter stale with its next evidence',
      ],
    },
    {
      id: 'agents.list.1c',
      says: 'The list contains governed agents unless governance_state names another state. The other filters narrow it.',
      heldBy: [
        'lists governed agents unless governance_state names another',
        'status, lifecycle_status and search narrow it',
      ],
    },
    {
      id: 'agents.list.2',
      says: 'The list contains runtime and discovered agents. source and governance_state filter the queue.',
      heldBy: ['includes agents of the runtime and of connected platforms; source triages the discovery queue'],
    },
    {
      id: 'agents.list.3',
      says: 'PageSize and PageToken select the page.',
      heldBy: [
        'page_size is 50 when left out, clamped to 1..200, and PageSize and PageToken are taken too',
        'pages through all agents once, in order, whatever is created meanwhile',
      ],
    },
    {
      id: 'agents.create.3a',
      says: 'The secret key is returned once in agent_key and cannot be read later.',
      heldBy: ['the key is answered once, works at the edge, and only its digest is stored'],
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
        'with an environment-bound key, a request naming no environment is placed in the key’s; naming another is 403',
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
      heldBy: ['204: the agent is archived, from any status, and stays readable'],
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
        '400 for a malformed id and for a runtime agent under a policy of another environment',
        'the environment is not asked of an agent of a connected platform',
      ],
    },
    {
      id: 'agents.assign-policy.5c',
      says: 'A discovered agent becomes governed. A governed agent gets the new policy. The governance mode follows the policy.',
      heldBy: [
        '200: a %s agent becomes governed under the policy',
        '200: a governed agent is re-pointed to another policy',
      ],
    },
    {
      id: 'agents.lifecycle.6a',
      says: 'Only a manager or owner may do it.',
      heldBy: ['a viewer changes nothing > %s is 403 for a member too', 'a viewer changes nothing > %s is 403'],
    },
    {
      id: 'agents.lifecycle.6b',
      says: 'Only an owner sets approved: 403 for a manager and for every environment-bound key, even an owner’s.',
      heldBy: [
        'a move to approved is an owner’s, and sets no approval of record: 403 for a manager and for a bound key',
      ],
    },
    {
      id: 'agents.lifecycle.6c',
      says: 'The reason is required and not empty.',
      heldBy: ['400 without a reason, with an empty one and with a state out of the enum; 403 comes first'],
    },
    {
      id: 'agents.lifecycle.6d',
      says: 'The audit entry is agent.lifecycle.changed, with the actor, the previous status and the reason.',
      heldBy: ['200: the state moves, audited with actor, previous state and reason'],
    },
    {
      id: 'agents.lifecycle.6e',
      says: 'A request for the current value changes nothing and returns the agent.',
      heldBy: ['200 and nothing written when the value equals the current one, for a manager asking for approved too'],
    },
    {
      id: 'agents.lifecycle.6f',
      says: 'It changes the lifecycle status outside the review queue.',
      heldBy: ['moves outside the review queue: no review is opened by it'],
    },
    {
      id: 'agents.suppress.7a',
      says: 'For members and above. Idempotent. The agent leaves the default discovery queue.',
      heldBy: [
        '204: the agent drops out of the default discovery queue; again is 204 and writes nothing',
        '404 for a caller who sees only some agents, for any agent they cannot see',
      ],
    },
    {
      id: 'agents.suppress.7b',
      says: 'A caller with full access gets 204 even for an unknown id or another tenant’s agent.',
      heldBy: ['204 for a caller with full access even for an agent of another tenant, which stays as it is'],
    },
    {
      id: 'agents.suppress.7c',
      says: 'A caller who sees only some agents gets 404 for any they cannot see.',
      heldBy: ['404 for a caller who sees only some agents, for any agent they cannot see'],
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
        'opens when the runtime claims less than full mediation, and closes with the claim of all',
        'opens on %s, and closes with a later window that is mediated whole',
        'is opened by the service on an agent whose newest evidence is older than 15 minutes, and closed by fresh evidence',
        'whatever is reported in whatever order: open is what the evidence shows',
      ],
    },
    {
      id: 'coverage.findings.2',
      says: 'At most one finding of a type is open on an agent, even with concurrent reports.',
      heldBy: [
        'of reports of both axes at once, what is open is what the last of them shows, with at most one of a type',
        'instances that look at the same time, while reports come in, open one and leave none on fresh evidence',
        'however often and from how many edges at once it is reported; a repeated beat writes nothing',
      ],
    },
    {
      id: 'coverage.findings.3',
      says: 'Opening and closing a finding writes an audit entry. Callers who see the agent see its findings.',
      heldBy: [
        'opens when the runtime claims less than full mediation, and closes with the claim of all',
        'a bound key finds those of its environment’s agents',
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
        'a review that approves an agent makes the policy version in force the approval of record',
        'a review that attests an agent makes the approval of record and moves nothing',
      ],
    },
    {
      id: 'drift.2',
      says: 'A heartbeat that reports another version than the approved one raises drift and its finding.',
      heldBy: [
        'reports another version than the approved raises policy_drift_unapproved and opens a change review',
        'the agent moved to another policy drifts, were it of the same content',
      ],
    },
    {
      id: 'drift.3',
      says: 'Drift opens a change review.',
      heldBy: [
        'reports another version than the approved raises policy_drift_unapproved and opens a change review',
        'a change review answers for the running version it was opened for',
      ],
    },
    {
      id: 'drift.4',
      says: 'Approving the change review makes the running configuration the approved configuration.',
      heldBy: ['the change review approved, the running version becomes the approved one'],
    },
    {
      id: 'drift.5',
      says: 'After the approved version is restored, the finding closes at the next heartbeat.',
      heldBy: ['the approved version restored, the finding closes on the next heartbeat'],
    },
  ],
}
