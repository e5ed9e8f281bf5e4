import type { Command } from 'commander'

/** Commands that one module adds to the program. */
export interface CommandGroup {
  /** The first words of the commands, in the order of `mandate --help`. */
  names: readonly string[]
  /** Loads the module. Returns the function that adds the commands. */
  load(): Promise<(program: Command) => void>
}

/**
 * The groups of commands, in the order of `mandate --help`. A command line loads only the group of its first word, because loading all of
 * them takes longer than most commands.
 */
export const commandGroups: readonly CommandGroup[] = [
  { names: ['up', 'version'], load: async () => (await import('../server/up-command.ts')).addUpCommands },
  { names: ['demo'], load: async () => (await import('../demo/demo-command.ts')).addDemoCommand },
  { names: ['operator'], load: async () => (await import('../server/operator-commands.ts')).addOperatorCommands },
  { names: ['backup', 'restore'], load: async () => (await import('../server/backup-commands.ts')).addBackupCommands },
  {
    names: ['register', 'join', 'login', 'logout', 'whoami'],
    load: async () => (await import('../login/login-commands.ts')).addLoginCommands,
  },
  { names: ['password', 'email'], load: async () => (await import('../login/account-commands.ts')).addAccountCommands },
  { names: ['sessions'], load: async () => (await import('../login/session-commands.ts')).addSessionCommands },
  { names: ['overview'], load: async () => (await import('../overview/overview-command.ts')).addOverviewCommand },
  { names: ['agents'], load: async () => (await import('../agents/agent-commands.ts')).addAgentCommands },
  { names: ['policies'], load: async () => (await import('../policies/policy-commands.ts')).addPolicyCommands },
  { names: ['content'], load: async () => (await import('../content/content-commands.ts')).addContentCommands },
  { names: ['reviews'], load: async () => (await import('../reviews/review-commands.ts')).addReviewCommands },
  { names: ['approvals'], load: async () => (await import('../approvals/approval-commands.ts')).addApprovalCommands },
  { names: ['findings'], load: async () => (await import('../findings/finding-commands.ts')).addFindingCommands },
  { names: ['freeze', 'freezes'], load: async () => (await import('../freezes/freeze-commands.ts')).addFreezeCommands },
  {
    names: ['decisions', 'usage'],
    load: async () => (await import('../decisions/decision-commands.ts')).addDecisionCommands,
  },
  { names: ['events'], load: async () => (await import('../events/event-commands.ts')).addEventCommands },
  { names: ['users'], load: async () => (await import('../people/user-commands.ts')).addUserCommands },
  {
    names: ['invitations'],
    load: async () => (await import('../people/invitation-commands.ts')).addInvitationCommands,
  },
  {
    names: ['organization', 'gate'],
    load: async () => (await import('../organization/organization-commands.ts')).addOrganizationCommands,
  },
  { names: ['keys'], load: async () => (await import('../keys/key-commands.ts')).addKeyCommands },
  {
    names: ['environments'],
    load: async () => (await import('../environments/environment-commands.ts')).addEnvironmentCommands,
  },
  {
    names: ['edges'],
    load: async () => (await import('../edge/edge-credential-commands.ts')).addEdgeCredentialCommands,
  },
  { names: ['tools'], load: async () => (await import('../tools/tool-commands.ts')).addToolCommands },
  { names: ['models'], load: async () => (await import('../models/model-commands.ts')).addModelCommands },
  {
    names: ['delegations'],
    load: async () => (await import('../delegations/delegation-commands.ts')).addDelegationCommands,
  },
  {
    names: ['credentials'],
    load: async () => (await import('../credentials/credential-commands.ts')).addCredentialCommands,
  },
  { names: ['platforms'], load: async () => (await import('../platforms/platform-commands.ts')).addPlatformCommands },
  { names: ['reports'], load: async () => (await import('../reports/report-commands.ts')).addReportCommands },
  { names: ['audit'], load: async () => (await import('../audit/audit-commands.ts')).addAuditCommands },
  { names: ['api'], load: async () => (await import('../api/api-command.ts')).addApiCommand },
  { names: ['edge'], load: async () => (await import('../edge/edge-command.ts')).addEdgeCommands },
  { names: ['try'], load: async () => (await import('../try/try-command.ts')).addTryCommand },
]
