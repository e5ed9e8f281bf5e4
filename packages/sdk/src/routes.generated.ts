// Generated from packages/contract/openapi.json by `npm run generate`. Do not edit.

/**
 * Method and path of every operation. `absolute` paths are not under the base path. `public` operations need no credential.
 * `cookieSession` operations open, refresh or end a session, and accept the header `Mandate-Session`.
 */
export const routes = {
  "register": {
    "method": "POST",
    "path": "/auth/register",
    "public": true,
    "cookieSession": true
  },
  "signIn": {
    "method": "POST",
    "path": "/auth/sign-in",
    "public": true,
    "cookieSession": true
  },
  "refresh": {
    "method": "POST",
    "path": "/auth/refresh",
    "cookieSession": true
  },
  "exchange": {
    "method": "POST",
    "path": "/auth/exchange",
    "public": true,
    "cookieSession": true
  },
  "signOut": {
    "method": "POST",
    "path": "/auth/sign-out",
    "cookieSession": true
  },
  "listSessions": {
    "method": "GET",
    "path": "/auth/sessions"
  },
  "revokeSession": {
    "method": "DELETE",
    "path": "/auth/sessions/{session_id}"
  },
  "getSession": {
    "method": "GET",
    "path": "/auth/session"
  },
  "listProviders": {
    "method": "GET",
    "path": "/auth/providers",
    "public": true
  },
  "acceptInvitation": {
    "method": "POST",
    "path": "/auth/invitations/accept",
    "public": true,
    "cookieSession": true
  },
  "previewInvitation": {
    "method": "POST",
    "path": "/auth/invitations/preview",
    "public": true
  },
  "forgotPassword": {
    "method": "POST",
    "path": "/auth/password/forgot",
    "public": true
  },
  "resetPassword": {
    "method": "POST",
    "path": "/auth/password/reset",
    "public": true
  },
  "changePassword": {
    "method": "POST",
    "path": "/auth/password/change"
  },
  "verifyEmail": {
    "method": "POST",
    "path": "/auth/email/verify"
  },
  "requestVerification": {
    "method": "POST",
    "path": "/auth/email/verification"
  },
  "startTotp": {
    "method": "POST",
    "path": "/auth/mfa/totp"
  },
  "confirmTotp": {
    "method": "POST",
    "path": "/auth/mfa/totp/confirm"
  },
  "startGoogle": {
    "method": "GET",
    "path": "/auth/google/start",
    "public": true
  },
  "finishGoogle": {
    "method": "GET",
    "path": "/auth/google/callback",
    "public": true
  },
  "startSaml": {
    "method": "GET",
    "path": "/auth/saml/{provider_id}/start",
    "public": true
  },
  "finishSaml": {
    "method": "POST",
    "path": "/auth/saml/{provider_id}/acs",
    "public": true
  },
  "getSamlMetadata": {
    "method": "GET",
    "path": "/auth/saml/{provider_id}/metadata",
    "public": true
  },
  "listUsers": {
    "method": "GET",
    "path": "/users"
  },
  "getUser": {
    "method": "GET",
    "path": "/users/{user_id}"
  },
  "updateUser": {
    "method": "PUT",
    "path": "/users/{user_id}"
  },
  "removeUser": {
    "method": "DELETE",
    "path": "/users/{user_id}"
  },
  "removeMyself": {
    "method": "DELETE",
    "path": "/users/me"
  },
  "previewRemoval": {
    "method": "GET",
    "path": "/users/{user_id}/removal-preview"
  },
  "resetMfa": {
    "method": "POST",
    "path": "/users/{user_id}/reset-mfa"
  },
  "revokeUserSessions": {
    "method": "POST",
    "path": "/users/{user_id}/revoke-sessions"
  },
  "grantPlatformAccess": {
    "method": "POST",
    "path": "/users/{user_id}/platform-access"
  },
  "setAccessScope": {
    "method": "PUT",
    "path": "/users/{user_id}/access-scope"
  },
  "listGrants": {
    "method": "GET",
    "path": "/users/{user_id}/grants"
  },
  "createGrant": {
    "method": "POST",
    "path": "/users/{user_id}/grants"
  },
  "revokeGrant": {
    "method": "DELETE",
    "path": "/users/{user_id}/grants/{grant_id}"
  },
  "listEnvironmentAccess": {
    "method": "GET",
    "path": "/users/{user_id}/environment-access"
  },
  "createEnvironmentAccess": {
    "method": "POST",
    "path": "/users/{user_id}/environment-access"
  },
  "revokeEnvironmentAccess": {
    "method": "DELETE",
    "path": "/users/{user_id}/environment-access/{access_id}"
  },
  "getOwnTenant": {
    "method": "GET",
    "path": "/tenants"
  },
  "getTenant": {
    "method": "GET",
    "path": "/tenants/{id}"
  },
  "updateTenant": {
    "method": "PUT",
    "path": "/tenants/{id}"
  },
  "deleteTenant": {
    "method": "DELETE",
    "path": "/tenants/{id}"
  },
  "inviteUser": {
    "method": "POST",
    "path": "/tenants/{id}/invite"
  },
  "inviteLearner": {
    "method": "POST",
    "path": "/academy/invitations"
  },
  "getGovernanceGate": {
    "method": "GET",
    "path": "/governance-gate"
  },
  "setGovernanceGate": {
    "method": "PUT",
    "path": "/governance-gate"
  },
  "listEnvironments": {
    "method": "GET",
    "path": "/environments"
  },
  "createEnvironment": {
    "method": "POST",
    "path": "/environments"
  },
  "getEnvironment": {
    "method": "GET",
    "path": "/environments/{environment_id}"
  },
  "updateEnvironment": {
    "method": "PUT",
    "path": "/environments/{environment_id}"
  },
  "deleteEnvironment": {
    "method": "DELETE",
    "path": "/environments/{environment_id}"
  },
  "previewEnvironmentDeletion": {
    "method": "GET",
    "path": "/environments/{environment_id}/deletion-preview"
  },
  "listApiKeys": {
    "method": "GET",
    "path": "/api-keys"
  },
  "createApiKey": {
    "method": "POST",
    "path": "/api-keys"
  },
  "bindApiKey": {
    "method": "PATCH",
    "path": "/api-keys/{key_id}/environment"
  },
  "revokeApiKey": {
    "method": "DELETE",
    "path": "/api-keys/{key_id}"
  },
  "listPolicies": {
    "method": "GET",
    "path": "/policies"
  },
  "createPolicy": {
    "method": "POST",
    "path": "/policies"
  },
  "validatePolicy": {
    "method": "POST",
    "path": "/policies/validate"
  },
  "getPolicy": {
    "method": "GET",
    "path": "/policies/{policy_id}"
  },
  "updatePolicy": {
    "method": "PUT",
    "path": "/policies/{policy_id}"
  },
  "deletePolicy": {
    "method": "DELETE",
    "path": "/policies/{policy_id}"
  },
  "replacePolicy": {
    "method": "PUT",
    "path": "/policies/{policy_id}/document"
  },
  "createRule": {
    "method": "POST",
    "path": "/policies/{policy_id}/rules"
  },
  "updateRule": {
    "method": "PUT",
    "path": "/policies/{policy_id}/rules/{rule_id}"
  },
  "deleteRule": {
    "method": "DELETE",
    "path": "/policies/{policy_id}/rules/{rule_id}"
  },
  "simulatePolicy": {
    "method": "POST",
    "path": "/policies/{policy_id}/simulate"
  },
  "listPolicyVersions": {
    "method": "GET",
    "path": "/policies/{policy_id}/versions"
  },
  "getPolicyVersion": {
    "method": "GET",
    "path": "/policies/{policy_id}/versions/{version}"
  },
  "restorePolicyVersion": {
    "method": "POST",
    "path": "/policies/{policy_id}/versions/{version}/restore"
  },
  "listContentPatterns": {
    "method": "GET",
    "path": "/content-patterns"
  },
  "createContentPattern": {
    "method": "POST",
    "path": "/content-patterns"
  },
  "updateContentPattern": {
    "method": "PUT",
    "path": "/content-patterns/{pattern_id}"
  },
  "deleteContentPattern": {
    "method": "DELETE",
    "path": "/content-patterns/{pattern_id}"
  },
  "testContentPatterns": {
    "method": "POST",
    "path": "/content-patterns/test"
  },
  "getContentBindings": {
    "method": "GET",
    "path": "/policies/{policy_id}/content-bindings"
  },
  "replaceContentBindings": {
    "method": "PUT",
    "path": "/policies/{policy_id}/content-bindings"
  },
  "listContentBindingsVersions": {
    "method": "GET",
    "path": "/policies/{policy_id}/content-bindings/versions"
  },
  "getContentBindingsVersion": {
    "method": "GET",
    "path": "/policies/{policy_id}/content-bindings/versions/{version}"
  },
  "getContentKey": {
    "method": "GET",
    "path": "/edge/content-key"
  },
  "listAgents": {
    "method": "GET",
    "path": "/agents"
  },
  "createAgent": {
    "method": "POST",
    "path": "/agents"
  },
  "getAgentFacets": {
    "method": "GET",
    "path": "/agents/facets"
  },
  "getAgentTimeline": {
    "method": "GET",
    "path": "/agents/{agent_id}/timeline"
  },
  "changeAgents": {
    "method": "POST",
    "path": "/agents/bulk"
  },
  "getAgent": {
    "method": "GET",
    "path": "/agents/{agent_id}"
  },
  "updateAgent": {
    "method": "PUT",
    "path": "/agents/{agent_id}"
  },
  "archiveAgent": {
    "method": "DELETE",
    "path": "/agents/{agent_id}"
  },
  "assignPolicy": {
    "method": "POST",
    "path": "/agents/{agent_id}/assign-policy"
  },
  "changeLifecycle": {
    "method": "POST",
    "path": "/agents/{agent_id}/lifecycle"
  },
  "suppressAgent": {
    "method": "POST",
    "path": "/agents/{agent_id}/suppress"
  },
  "suspendAgent": {
    "method": "POST",
    "path": "/agents/{agent_id}/suspend"
  },
  "resumeAgent": {
    "method": "POST",
    "path": "/agents/{agent_id}/resume"
  },
  "rotateAgentKey": {
    "method": "POST",
    "path": "/agents/{agent_id}/rotate-key"
  },
  "getExecutionCoverage": {
    "method": "GET",
    "path": "/agents/{agent_id}/execution-coverage"
  },
  "listReviews": {
    "method": "GET",
    "path": "/reviews"
  },
  "getReview": {
    "method": "GET",
    "path": "/reviews/{review_id}"
  },
  "resolveReview": {
    "method": "POST",
    "path": "/reviews/{review_id}/resolve"
  },
  "openReview": {
    "method": "POST",
    "path": "/agents/{agent_id}/reviews"
  },
  "listFindings": {
    "method": "GET",
    "path": "/findings"
  },
  "acceptFinding": {
    "method": "POST",
    "path": "/findings/{finding_id}/accept"
  },
  "listApprovals": {
    "method": "GET",
    "path": "/approvals"
  },
  "getApproval": {
    "method": "GET",
    "path": "/approvals/{approval_id}"
  },
  "resolveApproval": {
    "method": "POST",
    "path": "/approvals/{approval_id}/resolve"
  },
  "requestApproval": {
    "method": "POST",
    "path": "/edge/approvals"
  },
  "getHeldCall": {
    "method": "GET",
    "path": "/edge/approvals/{approval_id}"
  },
  "consumeApproval": {
    "method": "POST",
    "path": "/edge/approvals/{approval_id}/consume"
  },
  "openApprovalPage": {
    "method": "GET",
    "path": "/approve",
    "absolute": true,
    "public": true
  },
  "resolveByLink": {
    "method": "POST",
    "path": "/approve",
    "absolute": true,
    "public": true
  },
  "listEdges": {
    "method": "GET",
    "path": "/edges"
  },
  "createEdge": {
    "method": "POST",
    "path": "/edges"
  },
  "listEdgeInstances": {
    "method": "GET",
    "path": "/edges/instances"
  },
  "getEdge": {
    "method": "GET",
    "path": "/edges/{edge_id}"
  },
  "revokeEdge": {
    "method": "DELETE",
    "path": "/edges/{edge_id}"
  },
  "getEdgeSession": {
    "method": "GET",
    "path": "/edge/session"
  },
  "sendHeartbeat": {
    "method": "POST",
    "path": "/edge/heartbeat"
  },
  "getMissionProfile": {
    "method": "GET",
    "path": "/edge/agents/{agent_id}/mission-profile"
  },
  "getSigningKey": {
    "method": "GET",
    "path": "/edge/signing-key",
    "public": true
  },
  "attest": {
    "method": "POST",
    "path": "/edge/attestations"
  },
  "reportExecutionStats": {
    "method": "POST",
    "path": "/edge/execution-stats"
  },
  "confirm": {
    "method": "POST",
    "path": "/edge/confirmations"
  },
  "createEdgeKey": {
    "method": "POST",
    "path": "/edge/keys"
  },
  "recordDecisions": {
    "method": "POST",
    "path": "/edge/decisions"
  },
  "streamToEdge": {
    "method": "GET",
    "path": "/edge/stream"
  },
  "getMissionProfiles": {
    "method": "POST",
    "path": "/edge/profiles"
  },
  "listDecisions": {
    "method": "GET",
    "path": "/decisions"
  },
  "getDecisionTimeline": {
    "method": "GET",
    "path": "/decisions/timeline"
  },
  "getDecision": {
    "method": "GET",
    "path": "/decisions/{decision_id}"
  },
  "getDecisionReceipt": {
    "method": "GET",
    "path": "/decisions/{decision_id}/receipt"
  },
  "replayDecision": {
    "method": "GET",
    "path": "/decisions/{decision_id}/replay"
  },
  "getUsage": {
    "method": "GET",
    "path": "/usage"
  },
  "previewFreeze": {
    "method": "GET",
    "path": "/freezes/preview"
  },
  "listFreezes": {
    "method": "GET",
    "path": "/freezes"
  },
  "createFreeze": {
    "method": "POST",
    "path": "/freezes"
  },
  "getFreeze": {
    "method": "GET",
    "path": "/freezes/{freeze_id}"
  },
  "listFreezeEdges": {
    "method": "GET",
    "path": "/freezes/{freeze_id}/edges"
  },
  "liftFreeze": {
    "method": "POST",
    "path": "/freezes/{freeze_id}/lift"
  },
  "listDelegations": {
    "method": "GET",
    "path": "/delegations"
  },
  "createDelegation": {
    "method": "POST",
    "path": "/delegations"
  },
  "revokeDelegation": {
    "method": "DELETE",
    "path": "/delegations/{delegation_id}"
  },
  "delegateOn": {
    "method": "POST",
    "path": "/edge/delegations"
  },
  "getEndedDelegations": {
    "method": "GET",
    "path": "/edge/delegations/ended"
  },
  "listCredentials": {
    "method": "GET",
    "path": "/credentials"
  },
  "createCredential": {
    "method": "POST",
    "path": "/credentials"
  },
  "updateCredential": {
    "method": "PUT",
    "path": "/credentials/{credential_id}"
  },
  "deleteCredential": {
    "method": "DELETE",
    "path": "/credentials/{credential_id}"
  },
  "rotateCredential": {
    "method": "POST",
    "path": "/credentials/{credential_id}/rotate"
  },
  "getEdgeCredential": {
    "method": "GET",
    "path": "/edge/credentials/{name}"
  },
  "listTools": {
    "method": "GET",
    "path": "/tools"
  },
  "getToolFacets": {
    "method": "GET",
    "path": "/tools/facets"
  },
  "getTool": {
    "method": "GET",
    "path": "/tools/{tool_id}"
  },
  "pinTool": {
    "method": "POST",
    "path": "/tools/{tool_id}/pin"
  },
  "unpinTool": {
    "method": "POST",
    "path": "/tools/{tool_id}/unpin"
  },
  "blockTool": {
    "method": "POST",
    "path": "/tools/{tool_id}/block"
  },
  "unblockTool": {
    "method": "POST",
    "path": "/tools/{tool_id}/unblock"
  },
  "labelTool": {
    "method": "PUT",
    "path": "/tools/{tool_id}/labels"
  },
  "getAgentReach": {
    "method": "GET",
    "path": "/agents/{agent_id}/reach"
  },
  "getToolReach": {
    "method": "GET",
    "path": "/tools/{tool_id}/reach"
  },
  "reportTools": {
    "method": "POST",
    "path": "/edge/tools"
  },
  "getPins": {
    "method": "GET",
    "path": "/edge/pins"
  },
  "listModels": {
    "method": "GET",
    "path": "/models"
  },
  "listPlatforms": {
    "method": "GET",
    "path": "/platforms"
  },
  "connectPlatform": {
    "method": "POST",
    "path": "/platforms"
  },
  "disconnectPlatform": {
    "method": "DELETE",
    "path": "/platforms/{platform_id}"
  },
  "syncPlatform": {
    "method": "POST",
    "path": "/platforms/{platform_id}/sync"
  },
  "listReports": {
    "method": "GET",
    "path": "/reports"
  },
  "createReport": {
    "method": "POST",
    "path": "/reports"
  },
  "getReport": {
    "method": "GET",
    "path": "/reports/{report_id}"
  },
  "deleteReport": {
    "method": "DELETE",
    "path": "/reports/{report_id}"
  },
  "shareReport": {
    "method": "POST",
    "path": "/reports/{report_id}/share-links"
  },
  "revokeShareLink": {
    "method": "DELETE",
    "path": "/reports/{report_id}/share-links/{link_id}"
  },
  "readSharedReport": {
    "method": "GET",
    "path": "/shared/reports/{token}",
    "public": true
  },
  "listAuditEntries": {
    "method": "GET",
    "path": "/audit"
  },
  "exportAuditEntries": {
    "method": "GET",
    "path": "/audit/export"
  },
  "getAuditProof": {
    "method": "GET",
    "path": "/audit/proof"
  },
  "startAuditVerification": {
    "method": "POST",
    "path": "/audit/verifications"
  },
  "verifyAuditTrail": {
    "method": "GET",
    "path": "/audit/verify"
  },
  "getOverview": {
    "method": "GET",
    "path": "/overview"
  },
  "streamEvents": {
    "method": "GET",
    "path": "/events/stream"
  },
  "checkHealth": {
    "method": "GET",
    "path": "/healthz",
    "absolute": true,
    "public": true
  },
  "checkReadiness": {
    "method": "GET",
    "path": "/readyz",
    "absolute": true,
    "public": true
  },
  "readMetrics": {
    "method": "GET",
    "path": "/metrics",
    "absolute": true,
    "public": true
  },
  "readOpenApi": {
    "method": "GET",
    "path": "/openapi.json",
    "public": true
  },
  "readPolicyFileSchema": {
    "method": "GET",
    "path": "/policy-file.schema.json",
    "public": true
  },
  "readDocs": {
    "method": "GET",
    "path": "/docs",
    "absolute": true,
    "public": true
  },
  "readDocsScript": {
    "method": "GET",
    "path": "/docs/script.js",
    "absolute": true,
    "public": true
  },
  "readGettingStarted": {
    "method": "GET",
    "path": "/getting-started",
    "absolute": true,
    "public": true
  }
} as const
