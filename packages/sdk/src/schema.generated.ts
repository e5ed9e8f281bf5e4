// Generated from packages/contract/openapi.json by `npm run generate`. Do not edit.

export interface paths {
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a tenant and become its owner
         * @description A new tenant has the plan `free`, the governance gate `alert` and the environments `production` and `development`. 409 for an address that has a user.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with address and password
         * @description A wrong address and a wrong password get the same 401. After ten attempts with one address in five minutes the answer is 429, unless the browser has signed in with this address before (cookie `mandate_device`). If the password was right, a link to `{PUBLIC_URL}/sign-in?token=…` goes to the address. Its token is sent as `mail_token`, together with the password.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for a new session
         * @description Each refresh token works once. A refresh token that is sent again ends all sessions that came from the same sign-in.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange the code of a Google or SAML sign-in for a session
         * @description The code is in the address `{PUBLIC_URL}/sign-in/complete?code=…`. It works once, for one minute, and only in the browser that started the sign-in.
         */
        post: operations["exchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session of the caller
         * @description Ends the session that the refresh token belongs to. Its access token expires by itself. Only for a signed-in person: an API key is refused. Learners may call it.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of the caller
         * @description Returns the sessions of the account of the caller that have not ended, newest use first. The list has at most 100 sessions. If the account has more, end some of them to see the others. Only for a signed-in person: an API key is refused. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one session of the caller
         * @description The refresh token of the session stops working at once. Its access token can still read until it expires, for at most 15 minutes, as after a sign-out. The session of this request may be ended too. 404 for a session of another account and for a session that has ended. Only for a signed-in person: an API key is refused. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who the caller is
         * @description Returns the user, the tenant, and whether the request comes from a session or an API key. An API key may call it with any scopes. Learners may call it.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ways to sign in
         * @description The answer depends only on the domain of the address. It never says whether the address is known.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description A new address chooses its password. An address that has an account proves it with its password (and `otp`), or with its own access token. An account whose address was never verified is replaced, and loses the address. 410 for a token that was used or has expired.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read what an invitation offers
         * @description For the person who has the token of the mailed link, before they accept. Nothing is changed, and the invitation can still be accepted. 410 in the same cases as for the acceptance. The answer does not say whether the address has an account.
         */
        post: operations["previewInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link to choose a new password
         * @description The answer and its time are the same for known and unknown addresses. The link works once.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by a mailed link
         * @description Every session of the account ends. 410 for a token that was used or has expired.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Needs the current password. All other sessions of the account end. 409 for an account without a password. Only for a signed-in person: an API key is refused. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the address of the account
         * @description Takes the token of the link `{PUBLIC_URL}/verify-email?token=…`, which was mailed to the registered address. It works once, for 24 hours. Only for a signed-in person: an API key is refused. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail the verification link again
         * @description The link goes to the address of the signed-in account. It works once, for 24 hours. Only for a signed-in person: an API key is refused. Learners may call it.
         */
        post: operations["requestVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/mfa/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to enrol a second factor
         * @description The first factor needs the current password, or a sign-in of the last five minutes. Replacing a factor needs the current password. The factor is in force when `POST /auth/mfa/totp/confirm` gets its first code. Only for a signed-in person: an API key is refused. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        post: operations["startTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/mfa/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the second factor with its first code
         * @description Sets `mfa_enrolled` of the user and ends all other sessions. The enrolment must have started in the last 15 minutes. Only for a signed-in person: an API key is refused. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/google/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a Google sign-in
         * @description Sends the browser to Google. 404 if Google sign-in is not configured.
         */
        get: operations["startGoogle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/google/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish a Google sign-in
         * @description Google sends the browser here. The browser goes on to `{PUBLIC_URL}/sign-in/complete?code=…`, or to `{PUBLIC_URL}/sign-in?error=…`.
         */
        get: operations["finishGoogle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/saml/{provider_id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a SAML sign-in
         * @description Sends the browser to the identity provider of the tenant. 404 if no tenant has this provider.
         */
        get: operations["startSaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/saml/{provider_id}/acs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a SAML sign-in
         * @description The identity provider posts its response here. The browser goes on to `{PUBLIC_URL}/sign-in/complete?code=…`, or to `{PUBLIC_URL}/sign-in?error=…`.
         */
        post: operations["finishSaml"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/saml/{provider_id}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the SAML metadata of Mandate
         * @description XML for the administrator of the identity provider: entity id, address of the assertion consumer service, certificate.
         */
        get: operations["getSamlMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users of the tenant
         * @description Every user of the tenant may list. Invitations (`status` `pending`) and learners are in the list.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description Every user of the tenant may read every user. A learner reads only their own record. Learners may call it.
         */
        get: operations["getUser"];
        /**
         * Change a display name or a role
         * @description A field that is left out stays unchanged. Everyone may change their own display name. A manager may change the display name and role of every user who is not an owner. An owner may change those of every user. A new role ends the sessions of the user. 409 for the last owner. 401 for a person whose session has ended, even while the access token is valid. Learners may call it.
         */
        put: operations["updateUser"];
        post?: never;
        /**
         * Remove a user or withdraw an invitation
         * @description Only for owners. The API keys of the user are deleted. Reports stay. Removing oneself or the last owner is 400.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Leave the tenant and delete the account
         * @description Deletes the user of the caller and the account behind it. 409 for the last owner of a tenant with other users. Only for a signed-in person: an API key is refused. Learners may call it.
         */
        delete: operations["removeMyself"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/removal-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the removal of a user
         * @description Only for owners. Reading changes nothing.
         */
        get: operations["previewRemoval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/reset-mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clear the second factors of a user
         * @description Ends the sessions of the user, who gets a mail. An owner resets the factors of every other user, a manager those of members and viewers. 502 if the factors could not be cleared; nothing changed then. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["resetMfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/revoke-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the sessions of a user
         * @description Every refresh token of the user stops working at once, and the user must sign in again. Access tokens can still read until they expire, for at most 15 minutes. API keys of the user keep working. An owner ends the sessions of every other user, a manager those of members and viewers. A pending invitation has no sessions: the answer is 204, and nothing is changed. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["revokeUserSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/platform-access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an Academy learner a platform seat
         * @description For managers and owners. The learner becomes a user with a seat and this role. 409 with the code `seat_limit_reached` without a free seat. 400 for a pending invitation and for a user who is not a learner. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["grantPlatformAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/access-scope": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set whether a user sees the whole tenant
         * @description For managers and owners. `all` removes the agent grants of the user and keeps the environment access. An owner always has `all`. 401 for a person whose session has ended, even while the access token is valid.
         */
        put: operations["setAccessScope"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents granted to a user
         * @description For managers, owners and the user themselves. A scoped caller sees grants of agents that they see.
         */
        get: operations["listGrants"];
        put?: never;
        /**
         * Grant an agent to a user
         * @description For managers and owners. An existing grant is answered with 200 and nothing is written. A grant matters only for a scoped user. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["createGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a grant
         * @description For managers and owners. 404 for a grant of another user.
         */
        delete: operations["revokeGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/environment-access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the environments a user works in
         * @description For managers, owners and the user themselves. Environment access shows no agent: agents are granted one by one.
         */
        get: operations["listEnvironmentAccess"];
        put?: never;
        /**
         * Give a user access to an environment
         * @description For managers and owners. An existing entry is answered with 200 and nothing is written. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["createEnvironmentAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/environment-access/{access_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke access to an environment
         * @description For managers and owners. 404 for an entry of another user.
         */
        delete: operations["revokeEnvironmentAccess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the tenant of the caller
         * @description Every user of the tenant may read it. 404 if the tenant was deleted in the meantime.
         */
        get: operations["getOwnTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant
         * @description The id must be that of the caller's tenant. Any other id is 403.
         */
        get: operations["getTenant"];
        /**
         * Change the name or the SAML sign-in of the tenant
         * @description Only for owners. A field that is left out stays unchanged. SAML needs the plan `enterprise` (402 otherwise) and every `saml_*` field set (400 otherwise). Switching SAML off needs no plan. 401 for a person whose session has ended, even while the access token is valid.
         */
        put: operations["updateTenant"];
        post?: never;
        /**
         * Delete the tenant
         * @description Only for owners. The body confirms the deletion with the exact name of the tenant.
         */
        delete: operations["deleteTenant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tenants/{id}/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person to the tenant
         * @description For managers and owners. Only an owner invites an owner. The invitation takes a seat at once. 202 does not mean that the mail was delivered. Inviting a pending address again renews the invitation. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/academy/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person to the training product only
         * @description For managers and owners. A learner takes no seat. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["inviteLearner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/governance-gate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the governance gate
         * @description The gate decides the lifecycle status of new agents.
         */
        get: operations["getGovernanceGate"];
        /**
         * Set the governance gate
         * @description Only for owners. Agents that exist keep their lifecycle status.
         */
        put: operations["setGovernanceGate"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List environments
         * @description A scoped user gets the environments that they have access to. A key bound to an environment gets only that one.
         */
        get: operations["listEnvironments"];
        put?: never;
        /**
         * Create an environment
         * @description For managers and owners with the access scope `all`.
         */
        post: operations["createEnvironment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an environment
         * @description 404 for an environment that the caller has no access to.
         */
        get: operations["getEnvironment"];
        /**
         * Change an environment
         * @description For managers and owners with the access scope `all`. A field that is left out stays unchanged.
         */
        put: operations["updateEnvironment"];
        post?: never;
        /**
         * Delete an environment
         * @description Only for owners. 400 for a production environment, 409 while it has policies or agents that are not archived. Keys bound to it and its edge keys are revoked. Reports stay as reports of the organization.
         */
        delete: operations["deleteEnvironment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/deletion-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview what deleting an environment keeps
         * @description Only for owners. Reading changes nothing. 400 for a production environment, as for its deletion.
         */
        get: operations["previewEnvironmentDeletion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Managers and owners see every key of the tenant, other users the keys that they created. Revoked keys stay in the list.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is in `raw_key` of this answer and cannot be read again. It acts with the role of its creator. Viewers create no keys. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{key_id}/environment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Bind a key to an environment or make it tenant-wide
         * @description The key string and its prefix stay the same. A revoked key is refused with 400. A key that is bound to an environment cannot change any binding. 401 for a person whose session has ended, even while the access token is valid.
         */
        patch: operations["bindApiKey"];
        trace?: never;
    };
    "/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description The key stops at once and for good. It stays in the list with `revoked_at`. Revoking a key twice is 400.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policies, newest first
         * @description Policies that the caller sees, with their rules.
         */
        get: operations["listPolicies"];
        put?: never;
        /**
         * Create a policy
         * @description The policy starts at version 1. `warnings` in the answer names rules that can never decide. Needs the role member or above.
         */
        post: operations["createPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a policy document without saving it
         * @description A document that a save would refuse is 400 with the text of that refusal. `errors` lists all faults, at most 1,000 of them.
         */
        post: operations["validatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a policy
         * @description 404 for a policy that the caller cannot see. The answer has an `ETag` with the version.
         */
        get: operations["getPolicy"];
        /**
         * Change a policy's fields
         * @description A field that is left out stays unchanged. The save makes a new version. Rules are changed by their own routes. Needs the role member or above.
         */
        put: operations["updatePolicy"];
        post?: never;
        /**
         * Delete a policy and its versions
         * @description 409 while an agent uses the policy. Needs the role member or above.
         */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace fields and rules as one version
         * @description For documents that are kept elsewhere: either all of it is saved or nothing. A rule whose `id` is one of the policy's is changed, any other rule is added under a new id. Rules that are not sent are removed. Needs the role member or above.
         */
        put: operations["replacePolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a rule
         * @description The save makes a new version of the policy. 400 names the field that is wrong. Needs the role member or above.
         */
        post: operations["createRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/rules/{rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change a rule
         * @description A field that is left out stays unchanged; `match` is replaced as a whole. The save makes a new version of the policy. Needs the role member or above.
         */
        put: operations["updateRule"];
        post?: never;
        /**
         * Remove a rule
         * @description The save makes a new version of the policy. Needs the role member or above.
         */
        delete: operations["deleteRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide given or recorded calls by a policy
         * @description Nothing is stored. `calls` are decided with what they carry; no argument counts as undeclared. `replay` decides the recorded calls of the agents under the policy that the caller sees. Only the tool and a digest of the arguments are recorded, so a call that depends on a condition on `args.`, `agent.` or `environment.` is undecidable.
         */
        post: operations["simulatePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a policy, newest first
         * @description Each version has the summary of its changes. The snapshot is in the single version.
         */
        get: operations["listPolicyVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a version of a policy
         * @description The answer has the snapshot of the version and the changes against the version before.
         */
        get: operations["getPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policies/{policy_id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an earlier version
         * @description The snapshot becomes the current policy, as a new version. It passes the checks of a save first: a version that no longer passes is 400, and the policy stays unchanged. Rules keep their ids. Needs the role manager or above.
         */
        post: operations["restorePolicyVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents, newest first
         * @description Governed agents unless `governance_state` names another state. The parameters `PageSize` and `PageToken` are accepted too.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Register a runtime agent
         * @description The agent key is in this answer and cannot be read again. The governance gate decides the first `lifecycle_status`: `approved` for the gate `off`, otherwise `proposed` with an onboarding review. Needs the role member or above. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent
         * @description 404 for an agent that the caller cannot see, as for an unknown id.
         */
        get: operations["getAgent"];
        /**
         * Change an agent
         * @description A field that is left out stays unchanged. Needs the role member or above.
         */
        put: operations["updateAgent"];
        post?: never;
        /**
         * Archive an agent
         * @description The edge denies every call of an archived agent from its next heartbeat. Pending reviews of the agent are superseded. Archiving twice changes nothing. Needs the role member or above.
         */
        delete: operations["archiveAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/assign-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Assign a policy to an agent
         * @description A runtime agent takes a policy of its own environment or of every environment. The agent becomes `governed`. Its edge gets the policy at the next heartbeat. Needs the role member or above.
         */
        post: operations["assignPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/lifecycle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the lifecycle status of an agent, outside the review queue
         * @description Only an owner moves an agent to `approved`. The move sets no approval of record: only a review does. The value that the agent already has changes nothing. Needs the role manager or above.
         */
        post: operations["changeLifecycle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/suppress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an agent out of the discovery queue
         * @description Suppressing an agent twice changes nothing. A caller who sees the whole tenant gets 204 even for an unknown id. Needs the role member or above.
         */
        post: operations["suppressAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend an agent
         * @description The edge denies every call of a suspended agent. Its pending and unused approvals expire. Suspending twice changes nothing. 409 for an archived agent. Needs the role manager or above.
         */
        post: operations["suspendAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a suspended agent work again
         * @description A suspended agent becomes `active`. An agent that is not suspended stays as it is. 409 for an archived agent. Needs the role manager or above.
         */
        post: operations["resumeAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/rotate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the agent key
         * @description 409 for an archived agent and for one that was discovered in a platform. The new key is in this answer and cannot be read again. An edge that uses the old key must be started with the new one. Needs the role manager or above. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["rotateAgentKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/execution-coverage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the execution coverage of an agent
         * @description Computed when it is read, from the latest attestation, the latest execution stats and the open findings.
         */
        get: operations["getExecutionCoverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List reviews of the agents the caller sees, newest first
         * @description Reviews of every status, unless `status` names one.
         */
        get: operations["listReviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reviews/{review_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a review
         * @description 404 for a review of an agent that the caller cannot see.
         */
        get: operations["getReview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reviews/{review_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a review
         * @description An owner resolves reviews that are assigned to owners, a manager or owner all others. The person who asked for the review resolves it only if nobody else could. `approved` and `attested` make the policy version in force the approval of record, for a change review the running one. `approved` and `rejected` set `lifecycle_status` to `approved` and `blocked`. 409 if the review is resolved already, and for a change review if the agent runs another policy now or an unknown one. Needs the role manager or above.
         */
        post: operations["resolveReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agent_id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for an attestation review of an agent
         * @description 409 while an attestation review of the agent is pending. Needs the role member or above.
         */
        post: operations["openReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List findings on the agents the caller sees, newest first
         * @description Open and closed findings, unless `status` names one.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals of the agents the caller sees, newest first
         * @description Each approval belongs to one pending call. The newest come first.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an approval
         * @description 404 for an approval of an agent that the caller cannot see.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{approval_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or reject a pending call
         * @description An owner decides on calls of production agents, a manager or owner on all others. The owner of the agent decides only if nobody else could. 409 if the approval is decided or expired. Needs the role manager or above.
         */
        post: operations["resolveApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask people to approve a pending call
         * @description Idempotent by `approval_id`: the same request again gets 200 with the current approval. Another request with that id gets 409. At most 100 approvals of an agent are pending.
         */
        post: operations["requestApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the approval of a pending call
         * @description The edge reads the decision here. 404 for an approval of an agent that the credential does not serve.
         */
        get: operations["getHeldCall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/approvals/{approval_id}/consume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Use an approval, once
         * @description The call may pass after a 200 and not otherwise. 409 unless the approval is approved, neither expired nor consumed, was given for these arguments and this policy version, and the agent may act.
         */
        post: operations["consumeApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the page of an approval link
         * @description Opening the page decides nothing. A link that is unknown, used, expired or no longer valid for its person gets 410 with one page.
         */
        get: operations["openApprovalPage"];
        put?: never;
        /**
         * Decide by an approval link
         * @description The form of the approval page posts here. The decision counts as one of the person the link was sent to. A link works once.
         */
        post: operations["resolveByLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List edge credentials
         * @description Revoked credentials are not in the list. The newest come first.
         */
        get: operations["listEdges"];
        put?: never;
        /**
         * Create an edge credential
         * @description The edge key serves every agent of the environment. It is in this answer and cannot be read again. Needs the role member or above. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["createEdge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edges/{edge_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an edge credential
         * @description The edge key stops at once. The edge then denies every call. Needs the role member or above.
         */
        delete: operations["revokeEdge"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read whom the credential serves
         * @description An edge with an agent key learns here which agent the key belongs to.
         */
        get: operations["getEdgeSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a heartbeat
         * @description The edge says which agents run under which policy, and learns which mission profile each one should have. Agents that the credential does not serve are left out of the answer. A `seq` below the last one of the instance changes nothing.
         */
        post: operations["sendHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/agents/{agent_id}/mission-profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent's signed mission profile
         * @description The answer has an `ETag`. A request with that value in `If-None-Match` gets 304 while the profile is the same.
         */
        get: operations["getMissionProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/signing-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public signing keys
         * @description Mission profiles and audit checkpoints are signed with these keys.
         */
        get: operations["getSigningKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an attestation
         * @description The runtime's own claim of what it mediates. The latest one counts for execution coverage.
         */
        post: operations["attest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/execution-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send execution stats
         * @description What reached the edge in a window of time. A second report for the same agent and window replaces the first.
         */
        post: operations["reportExecutionStats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/edge/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record decisions of the edge
         * @description At most 1,000 decisions. Idempotent by `decision_id`. If the credential does not serve one of the agents, the answer is 404 and nothing is stored.
         */
        post: operations["recordDecisions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connected platforms with the health of their synchronization
         * @description Needs the plan Pro or higher. The secrets of connections are never returned. The parameters `Limit` and `Offset` are accepted too.
         */
        get: operations["listPlatforms"];
        put?: never;
        /**
         * Connect a platform
         * @description Needs the plan Pro or higher. Makes no network call: the first synchronization uses the connection. Needs the role manager or above. A key bound to an environment is refused. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["connectPlatform"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{platform_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disconnect a platform
         * @description Agents that were discovered in the platform stay. The stored secret is deleted. Needs the role manager or above. A key bound to an environment is refused.
         */
        delete: operations["disconnectPlatform"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/{platform_id}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discover the agents of a platform
         * @description Needs the plan Pro or higher. New agents are `discovered` and have no environment. A synchronization that fails gets 200 with `last_sync_status` `failed` and `last_error`. Needs the role manager or above. A key bound to an environment is refused.
         */
        post: operations["syncPlatform"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List compliance reports, newest first
         * @description Reports that were deleted from the list are left out. Snapshots are in the single report.
         */
        get: operations["listReports"];
        put?: never;
        /**
         * Generate a compliance report
         * @description The report has what its creator sees. Up to 500 agents and 500 policies: 201 with the snapshot. More: 202, and a job makes the report; read it by its id until `status` is `ready`. An organization has at most 5 running reports (409). A report of the organization needs the access scope `all`. Needs the role member or above.
         */
        post: operations["createReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/{report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a compliance report
         * @description JSON, or a printable page for `Accept: text/html`. The page of a report that is not ready says so. A report that was deleted from the list can still be read by its id.
         */
        get: operations["getReport"];
        put?: never;
        post?: never;
        /**
         * Delete a report from the list
         * @description The report is kept, and its share links keep working. For managers, owners and the user who generated it. Needs the role member or above.
         */
        delete: operations["deleteReport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/{report_id}/share-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a share link
         * @description Everyone with the link can read the report without an account. The address is in this answer and cannot be read again. For callers who may delete the report and see everything in it. 409 until the report is ready. Needs the role member or above. 401 for a person whose session has ended, even while the access token is valid.
         */
        post: operations["shareReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/{report_id}/share-links/{link_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a share link
         * @description The link is 404 from now on. Needs the role member or above.
         */
        delete: operations["revokeShareLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/reports/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a shared report
         * @description JSON, or a printable page for `Accept: text/html`. A link that is unknown, expired or revoked is 404.
         */
        get: operations["readSharedReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries, newest first
         * @description Entries about people, keys and the organization are shown to owners and managers who see the whole tenant. Entries about agents and policies are shown to callers who see the agent or policy. One request reads at most 5,000 entries of one filter. So a page may have fewer entries than `limit`, even zero, and still a `next_cursor`. The last page has no `next_cursor`.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export audit entries, oldest first, one JSON object a line
         * @description Managers and owners get lines that can be verified. Entries carry their seal, a withheld entry has a line with its hash, and signed checkpoints are between them. The last line is signed: it names the head of the trail and the number of entries that wait to be sealed. `mandate audit verify` checks such a file offline. At most 500 waiting entries are sealed before the export.
         */
        get: operations["exportAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the audit trail
         * @description Recomputes the whole chain of hashes. At most 500 waiting entries are sealed first. `pending` counts the entries that still wait: the verdict is about the sealed ones. Needs the role manager or above.
         */
        get: operations["verifyAuditTrail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process runs
         * @description Answers as soon as the process runs. It reads nothing.
         */
        get: operations["checkHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process can serve requests
         * @description 503 while the process shuts down, and while its database does not answer or has no room left. `degraded` while it runs without Redis.
         */
        get: operations["checkReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read metrics for Prometheus
         * @description Needs the bearer token `MANDATE_METRICS_TOKEN`. No other credential is accepted.
         */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this API as an OpenAPI 3.1 document
         * @description The document is the same for every caller.
         */
        get: operations["readOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this API as a page
         * @description Every operation with its fields, examples and code samples, to search and to link to.
         */
        get: operations["readDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/script.js": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the script of the page
         * @description Search, links and copying on the page `/docs`, which works without it.
         */
        get: operations["readDocsScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the start page
         * @description Says what this server is and where its documentation is. The page is the same for everyone and does not use the query.
         */
        get: operations["readHomePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/getting-started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the first steps
         * @description The text of `docs/getting-started.md`, as Markdown.
         */
        get: operations["readGettingStarted"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the link of an invitation
         * @description Says how to accept the invitation. The page is the same for everyone and does not use the query.
         */
        get: operations["readJoinPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the link that proves an address
         * @description Says how to prove the address with the link. The page is the same for everyone and does not use the query.
         */
        get: operations["readVerifyEmailPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the link for a new password
         * @description Says how to choose a new password with the link. The page is the same for everyone and does not use the query.
         */
        get: operations["readResetPasswordPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the page for a forgotten password
         * @description Says how to get a link for a new password. The page is the same for everyone and does not use the query.
         */
        get: operations["readForgotPasswordPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the page for signing in
         * @description Says how to sign in, also with a mailed link, and what the reason of a failed sign-in means. The page is the same for everyone and does not use the query.
         */
        get: operations["readSignInPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open the page at the end of a Google or SAML sign-in
         * @description Says how the sign-in is completed. The page is the same for everyone and does not use the query.
         */
        get: operations["readSignInCompletePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The answer to a refused request. */
        Error: {
            /** @description What is wrong, in a sentence. It names the field if there is one. */
            error: string;
            /** @description Every fault of a policy document. Only where a document was to be validated. */
            errors?: {
                /** @description Where in the document, such as `rules[0].match.tools[1]`. */
                path: string;
                /** @description What is wrong at that place. */
                message: string;
            }[];
        };
        /** @description A refused request with a code for programs. */
        CodedError: {
            /** @description What is wrong, in a sentence. It names the field if there is one. */
            error: string;
            /** @description The same text as `error`. */
            message: string;
            /**
             * @description Name of the error, for programs.
             * @enum {string}
             */
            code: "academy_only_user" | "seat_limit_reached" | "academy_learner_exists" | "already_member" | "owner_elsewhere" | "user_elsewhere" | "plan_upgrade_required" | "academy_only_account" | "fresh_sign_in_required" | "wrong_password" | "mfa_required";
        };
        /** @description A request for a feature that the plan does not include. */
        PlanError: {
            /** @description What is wrong, in a sentence. It names the field if there is one. */
            error: string;
            /** @description The same text as `error`. */
            message: string;
            /**
             * @description Always `plan_upgrade_required`.
             * @constant
             */
            code: "plan_upgrade_required";
            /** @description The lowest plan that includes the feature. */
            minimum_plan: string;
            /** @description The plan that the tenant has. */
            current_plan: string;
        };
        /** @description A request that was refused before its body was read: credential, rate or scopes. */
        GateError: {
            /** @description What is wrong, in a sentence. It names the field if there is one. */
            error: string;
            /** @description The HTTP status again. */
            code?: number;
        };
        /** @description A fault of the service. */
        InternalError: {
            /** @description What is wrong, in a sentence. It names the field if there is one. */
            error: string;
            /** @description Find the log entry of the fault by this id. */
            request_id: string;
        };
        /** @description One sign-in of a person that has not ended. */
        AccountSession: {
            /**
             * Format: uuid
             * @description Id of the session, to end it.
             */
            id: string;
            /**
             * Format: date-time
             * @description When the person signed in.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the session was last refreshed, or when the person signed in.
             */
            last_used_at: string;
            /** @description Network address of the client at the last refresh or the sign-in. Null if it is unknown. */
            ip: string | null;
            /** @description What the client said it is, in the header `User-Agent` of the same request: at most 300 characters, without control characters. Any client can send any text. Null if it sent none. */
            user_agent: string | null;
            /** @description True for the session of this request. */
            current: boolean;
        };
        /** @description An AI agent, registered by an edge or a program, or discovered in a connected platform. */
        Agent: {
            /**
             * Format: uuid
             * @description Id of the agent.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Name of the agent, at most 200 characters. Two agents may have the same name. */
            name: string;
            /** @description What the agent does, in the words of its owner. Empty if nobody wrote a description. */
            description: string;
            /**
             * @description What the agent does. `registered`: no heartbeat named it so far. `active`: a heartbeat named it. `suspended` and `archived`: its edge denies every call.
             * @enum {string}
             */
            status: "registered" | "active" | "suspended" | "archived";
            /**
             * @description Where the agent comes from. `runtime`: registered by an edge or a program. The other values: discovered in that platform.
             * @enum {string}
             */
            source: "runtime" | "github" | "salesforce" | "m365" | "snowflake";
            /**
             * @description Whether Mandate governs the agent. `discovered`: it has no policy so far. `suppressed`: it was taken out of the discovery queue.
             * @enum {string}
             */
            governance_state: "discovered" | "governed" | "suppressed";
            /** @description Mode of the assigned policy: its `override_mode`, or the mode of the environment if that is `inherit`. Null without a policy. */
            governance_mode: ("enforce" | "monitor") | null;
            /**
             * @description What people decided about the agent. The governance gate sets the first value.
             * @enum {string}
             */
            lifecycle_status: "proposed" | "approved" | "blocked" | "retired";
            /**
             * @description The `state` of `execution_coverage`, for filters and lists.
             * @enum {string}
             */
            execution_coverage_state: "unknown" | "claimed" | "observed" | "covered" | "partial" | "stale";
            /** @description What is known of the calls that pass an edge. The same object as `GET /agents/{agent_id}/execution-coverage` returns. */
            execution_coverage: components["schemas"]["ExecutionCoverage"];
            /** @description Environment of the agent. Null for an agent that was discovered in a platform. */
            environment: {
                /**
                 * Format: uuid
                 * @description Id of the environment.
                 */
                id: string;
                /** @description Name of the environment. */
                name: string;
                /** @description Short name of the environment, unique in the tenant. */
                slug: string;
            } | null;
            /** @description The assigned policy at its current version. Null if no policy is assigned. */
            policy: {
                /**
                 * Format: uuid
                 * @description Id of the policy.
                 */
                id: string;
                /** @description Name of the policy. */
                name: string;
                /** @description Number of the policy version: 1 for the first, one more with each save. */
                version: number;
            } | null;
            /** @description The approval of record: the policy and version that a review approved. Null before the first approval. */
            approved_policy: {
                /**
                 * Format: uuid
                 * @description Id of the policy.
                 */
                id: string;
                /** @description Approved version. Null if the approval names no version. */
                version: number | null;
            } | null;
            /** @description The policy and version that the last heartbeat reported. Null if no edge reported a policy. */
            running_policy: {
                /**
                 * Format: uuid
                 * @description Id of the policy.
                 */
                id: string;
                /** @description Reported version. Null if the edge reported no version. */
                version: number | null;
                /**
                 * Format: date-time
                 * @description When an edge reported this policy.
                 */
                reported_at: string;
            } | null;
            /** @description True if the running policy is not the approved one. Null if the approval or the report is missing. */
            drift: boolean | null;
            /** @description Framework that the agent is built with, such as `langgraph`. Empty if unknown. */
            framework: string;
            /** @description Model that the agent uses, as its owner names it. Empty if unknown. */
            model: string;
            /** @description Tools that the agent uses, as its owner lists them. The list grants nothing: the policy decides. */
            tools: string[];
            /** @description Names and values of the owner's choice. Mandate does not interpret them. */
            metadata: {
                [key: string]: string;
            };
            /** @description Id of the user who answers for the agent. Null if the agent has no owner. */
            owner_user_id: string | null;
            /** @description When a heartbeat last named the agent. Null before the first one. */
            last_heartbeat_at: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A runtime agent to register. */
        AgentCreate: {
            /** @description Name of the agent, trimmed, 1 to 200 characters. Two agents may have the same name. */
            name: string;
            /** @description What the agent does. At most 4,000 characters. */
            description?: string;
            /** @description Framework that the agent is built with, such as `langgraph`. */
            framework?: string;
            /** @description Model that the agent uses. */
            model?: string;
            /** @description Tools that the agent uses, at most 500. The list grants nothing: the policy decides. */
            tools?: string[];
            /** @description Names and values of your choice: at most 50, each value at most 2,000 characters. Mandate does not interpret them. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description Id of the user who answers for the agent. The user must belong to the tenant.
             */
            owner_user_id?: string;
            /**
             * Format: uuid
             * @description Environment of the agent. Required, unless an API key that is bound to an environment registers the agent.
             */
            environment_id?: string;
            /**
             * Format: uuid
             * @description Policy to assign. It must be for the agent's environment or for every environment. Without it the agent starts as `discovered`.
             */
            policy_id?: string;
        };
        /** @description Fields of an agent to change. A field that is left out stays unchanged. */
        AgentUpdate: {
            /** @description Name of the agent, trimmed, 1 to 200 characters. Two agents may have the same name. */
            name?: string;
            /** @description What the agent does. At most 4,000 characters. */
            description?: string;
            /** @description Framework that the agent is built with, such as `langgraph`. */
            framework?: string;
            /** @description Model that the agent uses. */
            model?: string;
            /** @description Tools that the agent uses, at most 500. The list grants nothing: the policy decides. */
            tools?: string[];
            /** @description Names and values of your choice: at most 50, each value at most 2,000 characters. Mandate does not interpret them. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description Id of the user who answers for the agent. The user must belong to the tenant.
             */
            owner_user_id?: string;
        };
        /** @description An API key without the key itself. A field without a value is left out. */
        ApiKey: {
            /**
             * Format: uuid
             * @description Id of the API key.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /**
             * Format: uuid
             * @description Id of the user who created the key. The key acts with the role and access scope that this user has now.
             */
            created_by: string;
            /** @description What the key is for, in the words of its creator. */
            name: string;
            /** @description First 8 characters of the key. They are not secret. */
            key_prefix: string;
            /** @description What the key may do, each as `<resource>:<action>`. An empty list means no limit beyond the role of the creator. */
            scopes: string[];
            /**
             * Format: uuid
             * @description Environment that the key is bound to. Absent for a key that works in the whole tenant.
             */
            environment_id?: string;
            /**
             * Format: date-time
             * @description From this time the key is refused. Absent for a key that does not expire.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description When the key was last used. Absent before the first use.
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description When the key was revoked. Absent unless it was revoked.
             */
            revoked_at?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description A person's permission for one pending call. An approval that was not consumed before `expires_at` is `expired`. */
        Approval: {
            /**
             * Format: uuid
             * @description Id of the approval. The edge chose it.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the agent.
             */
            agent_id: string;
            /** @description Name of the agent. */
            agent_name: string;
            /** @description Environment of the agent. Null if it has none. */
            environment_id: string | null;
            /** @description Tool of the pending call, such as `mcp:files/delete`. */
            tool: string;
            /** @description SHA-256 of the RFC 8785 canonical JSON of `{tool, args}`, as 64 hexadecimal characters. */
            args_digest: string;
            /** @description Arguments of the call, as far as the edge shows them. The edge removes secrets. Null if the edge shows no arguments. */
            arguments: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: uuid
             * @description Id of the policy.
             */
            policy_id: string;
            /** @description Version of the policy that asked for the approval. */
            policy_version: number;
            /** @description Content hash of that version. */
            policy_hash: string;
            /** @description Rule that asked for the approval. Null if it was the default effect. */
            rule_id: string | null;
            /** @description Name of that rule. Null if the edge sent none. */
            rule_name: string | null;
            /** @description Why the call needs an approval, as the rule says it. */
            reason: string;
            /**
             * @description `pending` until a person decides or the time is over. `consumed` when the call passed.
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "expired" | "consumed";
            /**
             * @description Lowest role that decides: `owner` for an agent in a production environment, otherwise `manager`.
             * @enum {string}
             */
            assigned_role: "manager" | "owner";
            /**
             * Format: date-time
             * @description When the edge asked.
             */
            requested_at: string;
            /**
             * Format: date-time
             * @description The approval must be decided and used before this time. The server setting `MANDATE_APPROVAL_SECONDS` is 15 minutes by default.
             */
            expires_at: string;
            /** @description Id of the user who decided. It stays after that user was removed. Null before the decision. */
            resolved_by: string | null;
            /** @description When a person decided. Null before the decision. */
            resolved_at: string | null;
            /** @description What the person wrote with the decision. Null if nothing was written. */
            comment: string | null;
            /** @description When the call passed. Null unless the approval was consumed. */
            consumed_at: string | null;
        };
        /** @description A pending call for which an edge asks people. */
        ApprovalRequest: {
            /**
             * Format: uuid
             * @description Id of the approval, chosen by the edge. The same id with the same request is answered again.
             */
            approval_id: string;
            /**
             * Format: uuid
             * @description Id of the agent.
             */
            agent_id: string;
            /** @description Tool of the pending call, 1 to 300 characters. */
            tool: string;
            /** @description SHA-256 of the RFC 8785 canonical JSON of `{tool, args}`, as 64 lower-case hexadecimal characters. */
            args_digest: string;
            /** @description Arguments to show to people, without secrets: at most 16,384 characters as JSON and 20 levels. */
            arguments?: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description Id of the policy.
             */
            policy_id: string;
            /** @description Version of the policy that asked for the approval. */
            policy_version: number;
            /** @description Content hash of that version, as 64 lower-case hexadecimal characters. */
            policy_hash: string;
            /**
             * Format: uuid
             * @description Rule that asked for the approval. Leave it out if it was the default effect.
             */
            rule_id?: string;
            /** @description Name of that rule, at most 200 characters. */
            rule_name?: string;
            /** @description Why the call needs an approval, at most 2,000 characters. */
            reason: string;
        };
        /** @description The policy to assign to an agent. */
        AssignPolicyRequest: {
            /**
             * Format: uuid
             * @description Policy to assign. 404 if it is unknown, 400 if it is for another environment.
             */
            policy_id: string;
        };
        /** @description One change: who, what, when. Names are those of the time of the entry, and stay when the user or resource is gone. */
        AuditEntry: {
            /**
             * Format: uuid
             * @description Id of the audit entry.
             */
            id: string;
            /**
             * @description `control_plane`: a change made through the API or by the service. `edge`: a report of an edge.
             * @enum {string}
             */
            source: "control_plane" | "edge";
            /** @description What happened, such as `api_key.created`. */
            event_type: string;
            /** @description `success` in every entry of this version. */
            outcome: string;
            /** @description Who made the change. */
            actor: {
                /** @description `person`, `api_key`, `edge`, `agent`, `operator` or `system`. */
                type: string;
                /** @description Id of the user. Null for an actor that is no user. */
                user_id: string | null;
                /** @description Name of the actor when the entry was written. */
                name: string;
                /** @description Address of the user when the entry was written. Empty for an actor that is no user. */
                email: string;
            };
            /** @description API key that made the request. Absent if none did. */
            api_key?: {
                /**
                 * Format: uuid
                 * @description Id of the API key.
                 */
                id: string;
                /** @description First 8 characters of the API key. */
                prefix: string;
                /** @description Name of the API key when the entry was written. */
                name: string;
            };
            /** @description What was changed. */
            resource: {
                /** @description Kind of the resource, such as `agent` or `api_key`. */
                type: string;
                /** @description Id of the resource. Null if it has none. */
                id: string | null;
                /** @description Name of the resource when the entry was written. */
                name: string;
            };
            /**
             * Format: uuid
             * @description Agent that the entry is about. Absent if it is about no agent.
             */
            agent_id?: string;
            /**
             * Format: uuid
             * @description Environment that the entry is about. Absent if it is about no environment.
             */
            environment_id?: string;
            /** @description What changed, such as the old and the new value. The keys depend on `event_type`. */
            details: {
                [key: string]: unknown;
            };
            /** @description Id of the request, as its answer had it in `X-Request-Id`. */
            request_id: string;
            /** @description Address of the client. Empty if there was no request. */
            ip: string;
            /** @description `User-Agent` header of the request, at most 500 characters. */
            user_agent: string;
            /**
             * Format: date-time
             * @description When the change was made.
             */
            created_at: string;
        };
        /** @description Result of checking the whole audit trail. */
        AuditVerdict: {
            /** @description True if the whole trail is as it was written. */
            valid: boolean;
            /** @description How many entries were checked and are valid. */
            entries: number;
            /** @description Last sealed place of the trail. Null before the first seal. */
            head: {
                /** @description Place of the last sealed entry, counted from 1. */
                seq: number;
                /** @description Hash of the chain up to that place, as 64 hexadecimal characters. */
                chain_hash: string;
            } | null;
            /** @description How many entries wait to be sealed. They are not in the chain yet. At most 10,000 are counted. */
            pending: number;
            /** @description The first fault. Absent if the trail is valid. */
            first_bad?: {
                /**
                 * @description What is wrong at this place of the trail.
                 * @enum {string}
                 */
                reason: "beginning_missing" | "entry_changed" | "entry_missing" | "entry_unauthenticated" | "entry_unsealed" | "seal_changed" | "seal_missing" | "checkpoint_changed" | "checkpoint_missing" | "checkpoint_unverified" | "head_changed" | "head_missing" | "line_unreadable" | "export_changed" | "export_incomplete";
                /** @description Place in the chain. Absent if the fault has no place. */
                seq?: number;
                /**
                 * Format: uuid
                 * @description Id of the audit entry. Absent if it is unknown.
                 */
                entry_id?: string;
            };
        };
        /** @description A policy document that is not saved. Fields that are left out are those of the stored policy, or the defaults. */
        CandidatePolicy: {
            /** @description Name of the policy, trimmed, 1 to 200 characters. */
            name?: string;
            /** @description What the policy is for. At most 2,000 characters. */
            description?: string;
            /** @description Environment that the policy is for. Null: every environment of the tenant. A key that is bound to an environment places a new policy there. */
            environment_id?: string | null;
            /**
             * @description Governance mode of the policy. `inherit` for a new policy if it is left out.
             * @enum {string}
             */
            override_mode?: "inherit" | "enforce" | "monitor";
            /**
             * @description What is decided when no rule matches. `deny` for a new policy if it is left out.
             * @enum {string}
             */
            default_effect?: "allow" | "deny" | "require_approval";
            /** @description True switches data-loss prevention on, which needs the plan Pro or higher. False for a new policy if it is left out. */
            dlp_enabled?: boolean;
            /** @description Rules to decide with, at most 1,000. */
            rules?: components["schemas"]["CandidateRule"][];
        };
        /** @description A rule to decide with, which is not saved. */
        CandidateRule: {
            /** @description Name of the rule, at most 200 characters. It may be empty. */
            name?: string;
            /** @description Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority. */
            priority: number;
            /** @description False switches the rule off. */
            enabled?: boolean;
            /**
             * @description What the rule decides. A `deny` that matches wins over every other rule.
             * @enum {string}
             */
            effect: "allow" | "deny" | "require_approval";
            /** @description When the rule matches: one of the tool patterns, and every condition. */
            match: {
                /** @description Tool patterns, 1 to 100, such as `mcp:files/*`. One of them must match. */
                tools: string[];
                /** @description Conditions, at most 50. All of them must hold. Without conditions the tool patterns decide. */
                when?: components["schemas"]["Condition"][];
            };
            /** @description Why the rule exists, at most 2,000 characters. The agent gets it with a denial. */
            reason?: string;
            /** @description Name for the rule in the answer, 1 to 200 characters. Without it the rule is named by its place, such as `rules[0]`. */
            id?: string;
        };
        /** @description How a version differs from the version before. */
        ChangeSummary: {
            /** @description Names of the policy fields that changed. */
            fields: string[];
            /** @description Number of rules that were added. */
            rules_added: number;
            /** @description Number of rules that were removed. */
            rules_removed: number;
            /** @description Number of rules that were changed. */
            rules_changed: number;
        };
        /** @description A test of one value of the call. A condition that cannot be decided makes `deny` and `require_approval` rules match, and `allow` rules not match. */
        Condition: {
            /** @description Path into the call: begins with `args.`, `agent.`, `environment.` or `tool.`. */
            path: string;
            /**
             * @description Operator that compares the value at the path. `under` and `not_under` compare file paths.
             * @enum {string}
             */
            op: "eq" | "ne" | "gt" | "lt" | "gte" | "lte" | "in" | "not_in" | "contains" | "not_contains" | "starts_with" | "not_starts_with" | "under" | "not_under" | "exists";
            /** @description Value to compare with. `in` and `not_in` take a list, `exists` takes true or false, `under` and `not_under` take an absolute path or `file:` address. */
            value: (string | number | boolean) | (string | number | boolean)[];
        };
        /** @description A connected external service in which agents are discovered. */
        ConnectedPlatform: {
            /**
             * Format: uuid
             * @description Id of the connected platform.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /**
             * @description Kind of the external service. Agents can be discovered in `github` so far.
             * @enum {string}
             */
            kind: "github" | "salesforce" | "m365" | "snowflake";
            /** @description Name of the connection, at most 200 characters. */
            name: string;
            /** @description Settings of the connection, without secrets. For `github`: `organization`, and `base_url` unless it is github.com. */
            config: {
                [key: string]: string;
            };
            /** @description True if a secret is stored. The secret itself is never returned. */
            has_auth_secret: boolean;
            /** @description Result of the last synchronization. Null before the first one. */
            last_sync_status: ("succeeded" | "failed") | null;
            /** @description When the last synchronization ended. Null before the first one. */
            last_sync_at: string | null;
            /** @description Why the last synchronization failed. Null if it succeeded or if there was none. */
            last_error: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description What a policy would decide about recorded calls. */
        DecisionReplay: {
            /**
             * Format: date-time
             * @description Start of the replayed time.
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the replayed time.
             */
            to: string;
            /** @description Number of recorded decisions that were decided again. */
            decisions: number;
            /** @description False if more was recorded than one replay reads: 10,000 decisions of 5,000 agents. */
            complete: boolean;
            /** @description Number of calls that would be decided in another way. */
            changed: number;
            /** @description Number of calls that depend on something that is not recorded. */
            undecidable: number;
            /** @description Number of calls for each pair of recorded and new effect. */
            totals: {
                /**
                 * @description Effect that was recorded.
                 * @enum {string}
                 */
                was: "allow" | "deny" | "require_approval";
                /** @description Effect that the policy would decide. Null if it depends on something that is not recorded. */
                would_be: ("allow" | "deny" | "require_approval") | null;
                /** @description Number of calls with this pair of effects. */
                calls: number;
                /** @description Number of these calls that were recorded in the mode `enforce`. */
                enforced: number;
            }[];
            /** @description The most frequent calls that would change, at most 20, then the most frequent undecidable ones, at most 20. */
            examples: {
                /** @description Tool of the calls. */
                tool: string;
                /**
                 * @description Effect that was recorded.
                 * @enum {string}
                 */
                was: "allow" | "deny" | "require_approval";
                /** @description Effect that the policy would decide. Null if it depends on something that is not recorded. */
                would_be: ("allow" | "deny" | "require_approval") | null;
                /** @description Rule that would decide. Null for the default effect, or if several rules are possible. */
                rule_id: string | null;
                /** @description Paths of the conditions that would decide and for which nothing is recorded. */
                undecidable: string[];
                /**
                 * @description Mode in which the calls were recorded.
                 * @enum {string}
                 */
                mode: "enforce" | "monitor";
                /** @description Version that decided. Null if the edge named no version. */
                policy_version: number | null;
                /** @description Number of such calls. */
                calls: number;
                /**
                 * Format: date-time
                 * @description When the last of these calls was decided.
                 */
                last_at: string;
            }[];
        };
        /** @description A rule of a policy document, with the id of the policy's rule that it replaces. */
        DocumentRule: {
            /** @description Name of the rule, at most 200 characters. It may be empty. */
            name?: string;
            /** @description Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority. */
            priority: number;
            /** @description False switches the rule off. */
            enabled?: boolean;
            /**
             * @description What the rule decides. A `deny` that matches wins over every other rule.
             * @enum {string}
             */
            effect: "allow" | "deny" | "require_approval";
            /** @description When the rule matches: one of the tool patterns, and every condition. */
            match: {
                /** @description Tool patterns, 1 to 100, such as `mcp:files/*`. One of them must match. */
                tools: string[];
                /** @description Conditions, at most 50. All of them must hold. Without conditions the tool patterns decide. */
                when?: components["schemas"]["Condition"][];
            };
            /** @description Why the rule exists, at most 2,000 characters. The agent gets it with a denial. */
            reason?: string;
            /**
             * Format: uuid
             * @description Id of the policy's rule that this rule replaces. Without it, or with an unknown id, the rule is new.
             */
            id?: string;
        };
        /** @description An edge credential without the key itself. It serves every agent of one environment. */
        Edge: {
            /**
             * Format: uuid
             * @description Id of the edge credential.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Name of the edge, at most 200 characters. */
            name: string;
            /**
             * Format: uuid
             * @description Environment whose agents the edge serves.
             */
            environment_id: string;
            /** @description First 8 characters of the edge key. They are not secret. */
            key_prefix: string;
            /** @description Id of the user who created the credential. It stays after that user was removed. Null if it is not known. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description Which agents the credential serves. An agent key serves `agent`. An edge key serves every agent of `environment`. */
        EdgeSession: {
            /**
             * @description `agent` for an agent key, `edge` for an edge key.
             * @enum {string}
             */
            credential: "agent" | "edge";
            /** @description The agent of an agent key. Null for an edge key. */
            agent: {
                /**
                 * Format: uuid
                 * @description Id of the agent.
                 */
                id: string;
                /** @description Name of the agent. */
                name: string;
            } | null;
            /** @description Environment of the agent or of the edge. Null if the agent has none. */
            environment: {
                /**
                 * Format: uuid
                 * @description Id of the environment.
                 */
                id: string;
                /** @description Name of the environment. */
                name: string;
                /** @description Short name of the environment, unique in the tenant. */
                slug: string;
            } | null;
        };
        /** @description A part of a tenant, such as Production. */
        Environment: {
            /**
             * Format: uuid
             * @description Id of the environment.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Name of the environment, at most 100 characters. */
            name: string;
            /** @description Short name for rules and scripts: 1 to 63 lower-case letters, digits or hyphens. Unique in the tenant. */
            slug: string;
            /** @description True for a production environment. It cannot be deleted, and owners decide on its agents. */
            is_production: boolean;
            /**
             * @description Mode for policies with the override mode `inherit`. `monitor` records decisions and stops nothing.
             * @enum {string}
             */
            governance_mode: "enforce" | "monitor";
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description Gives a user access to one environment. */
        EnvironmentAccess: {
            /**
             * Format: uuid
             * @description Id of the access entry, to revoke it. It is not the id of the environment.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the environment.
             */
            environment_id: string;
            /** @description Name of the environment. */
            environment_name: string;
            /** @description Slug of the environment. */
            environment_slug: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description What stays when an environment is deleted. */
        EnvironmentDeletionPreview: {
            /** @description Number of compliance reports that the deletion keeps as reports of the organization. */
            reports_kept: number;
            /** @description Number of share links that keep working until they expire or are revoked. */
            live_share_links: number;
            /** @description Number of those reports that are in the list of reports. Deleted ones are not counted. */
            reports_listed: number;
        };
        /** @description How much of what an agent does passes an edge: the claim of the runtime, what edges saw, and the open findings. */
        ExecutionCoverage: {
            /**
             * @description Execution coverage, computed when it is read. `covered` needs fresh evidence from attestation and execution stats, all of it mediated.
             * @enum {string}
             */
            state: "unknown" | "claimed" | "observed" | "covered" | "partial" | "stale";
            /** @description The latest attestation: the runtime's own claim of what it mediates. Null before the first one. */
            attested: {
                /**
                 * @description How much the runtime claims to mediate: `full`, `partial` or `none`.
                 * @enum {string}
                 */
                mode: "full" | "partial" | "none";
                /** @description Tools that the runtime says the agent can reach. */
                tools: string[];
                /** @description Where the runtime says that calls pass the edge, such as `mcp`. */
                mediation_points: string[];
                /** @description Version of the edge that sent the attestation. */
                edge_version: string;
                /**
                 * Format: date-time
                 * @description When the attestation arrived.
                 */
                attested_at: string;
            } | null;
            /** @description The latest execution stats: what reached an edge. Null before the first report. */
            observed: {
                /**
                 * Format: date-time
                 * @description Start of the reporting window.
                 */
                window_start: string;
                /**
                 * Format: date-time
                 * @description End of the reporting window.
                 */
                window_end: string;
                /** @description Number of actions of the agent that the edge saw in the window. */
                actions_seen: number;
                /** @description Number of the seen actions that passed the edge. */
                actions_mediated: number;
                /** @description Number of actions that the edge knows of and that did not pass it. */
                unmediated_seen: number;
                /**
                 * Format: date-time
                 * @description When the report arrived.
                 */
                reported_at: string;
            } | null;
            /** @description Open findings of the agent, each with its remediation. */
            findings: components["schemas"]["Finding"][];
            /**
             * Format: date-time
             * @description When this answer was computed.
             */
            computed_at: string;
        };
        /** @description Something about an agent that needs attention. `coverage_gap`: the attestation or the execution stats show calls that are not mediated. `evidence_stale`: the evidence is stale. `unapproved_running`: an edge reports the agent, and it is not approved. `policy_drift_unapproved`: what runs is not the approval of record. `approval_without_record`: the agent was approved directly, so it has no approval of record and drift is not detected. */
        Finding: {
            /**
             * Format: uuid
             * @description Id of the finding.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the agent.
             */
            agent_id: string;
            /**
             * @description What the finding is about. An agent has at most one open finding of each type.
             * @enum {string}
             */
            type: "policy_drift_unapproved" | "coverage_gap" | "evidence_stale" | "unapproved_running" | "approval_without_record";
            /** @description `low`, `medium` or `high`. It depends on the type and on whether the agent is in a production environment. */
            severity: string;
            /**
             * @description `open` until the cause is gone. Findings close by themselves.
             * @enum {string}
             */
            status: "open" | "closed";
            /** @description The facts that opened the finding, such as the approved and the running policy version. The keys depend on the type. */
            evidence: {
                [key: string]: unknown;
            };
            /** @description What to do, in one sentence. The finding closes when it is done. */
            remediation: string;
            /**
             * Format: date-time
             * @description When the finding was opened.
             */
            opened_at: string;
            /** @description When the finding was closed. Null while it is open. */
            closed_at: string | null;
        };
        /** @description What an invitation offers. */
        InvitationPreview: {
            /** @description Name of the organization. */
            organization: string;
            /**
             * @description Role that the person will have.
             * @enum {string}
             */
            role: "viewer" | "member" | "manager" | "owner";
            /** @description Name of the person who sent the invitation. Null if the person has no name or was removed. */
            invited_by: string | null;
            /**
             * Format: email
             * @description Address that was invited.
             */
            email: string;
            /**
             * Format: date-time
             * @description When the invitation expires.
             */
            expires_at: string;
        };
        /** @description An invitation that was created or renewed. */
        Invited: {
            /**
             * Format: uuid
             * @description Id of the invited user.
             */
            user_id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Address that was invited. */
            email: string;
            /**
             * @description Role that the user gets on joining.
             * @enum {string}
             */
            role: "viewer" | "member" | "manager" | "owner";
            /** @description Text for the person who invited. */
            message: string;
        };
        /** @description The signed document from which an edge decides for one agent. `policy` is the snapshot of a policy version; its SHA-256 over RFC 8785 canonical JSON is the `content_hash` of the version, which heartbeats report as `policy_hash`. `profile_hash` is the same digest of {agent_id, agent_name, status, environment, governance_mode, policy_id, policy_version, policy_hash}, and of `denied_because` if the profile has it. A profile with `denied_because` denies every call: `archived`, `suspended`, `blocked`, `retired`, `not_approved`, `not_approved_in_production` or `no_policy`; later versions may add values. Conditions on `agent.` and `environment.` read {id, name, status} and {id, name, slug} of the profile. */
        MissionProfile: {
            /**
             * Format: uuid
             * @description Id of the agent.
             */
            agent_id: string;
            /** @description Name of the agent. */
            agent_name: string;
            /** @description Status of the agent, such as `active`. */
            status: string;
            /** @description Environment of the agent. Null if it has none. */
            environment: {
                /**
                 * Format: uuid
                 * @description Id of the environment.
                 */
                id: string;
                /** @description Name of the environment. */
                name: string;
                /** @description Short name of the environment, unique in the tenant. */
                slug: string;
            } | null;
            /**
             * @description Whether the edge enforces the policy or only records decisions. `enforce` if the profile denies every call.
             * @enum {string}
             */
            governance_mode: "enforce" | "monitor";
            /** @description Assigned policy. Null if the profile denies every call. */
            policy_id: string | null;
            /** @description Version of the policy. Null if the profile denies every call. */
            policy_version: number | null;
            /** @description Snapshot of that version. A profile that denies every call has no rules and the default effect `deny`. */
            policy: {
                /**
                 * @description What is decided when no rule matches.
                 * @enum {string}
                 */
                default_effect: "allow" | "deny" | "require_approval";
                /** @description Rules of the policy, by priority. */
                rules: {
                    [key: string]: unknown;
                }[];
            } & {
                [key: string]: unknown;
            };
            /** @description Why the profile denies every call. Absent if it carries the policy of the agent. */
            denied_because?: string;
            /** @description SHA-256 of the parts that decide calls, as 64 hexadecimal characters. */
            profile_hash: string;
            /** @description Number of the profile. It never goes back. */
            profile_seq: number;
            /**
             * Format: date-time
             * @description When the profile was signed.
             */
            issued_at: string;
            /** @description Ed25519 signature, base64, over the RFC 8785 canonical JSON of the profile without this field. */
            signature: string;
        };
        /** @description A new API key, with the key itself. */
        NewApiKey: {
            /**
             * Format: uuid
             * @description Id of the API key.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /**
             * Format: uuid
             * @description Id of the user who created the key. The key acts with the role and access scope that this user has now.
             */
            created_by: string;
            /** @description What the key is for, in the words of its creator. */
            name: string;
            /** @description First 8 characters of the key. They are not secret. */
            key_prefix: string;
            /** @description What the key may do, each as `<resource>:<action>`. An empty list means no limit beyond the role of the creator. */
            scopes: string[];
            /**
             * Format: uuid
             * @description Environment that the key is bound to. Absent for a key that works in the whole tenant.
             */
            environment_id?: string;
            /**
             * Format: date-time
             * @description From this time the key is refused. Absent for a key that does not expire.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description When the key was last used. Absent before the first use.
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description When the key was revoked. Absent unless it was revoked.
             */
            revoked_at?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description The API key: `mk_` and 64 hexadecimal characters. It is shown once; only its hash is stored. */
            raw_key: string;
        };
        /** @description A policy to create. Fields that are left out get their default. */
        NewPolicy: {
            /** @description Name of the policy, trimmed, 1 to 200 characters. */
            name: string;
            /** @description What the policy is for. At most 2,000 characters. */
            description?: string;
            /** @description Environment that the policy is for. Null: every environment of the tenant. A key that is bound to an environment places a new policy there. */
            environment_id?: string | null;
            /**
             * @description Governance mode of the policy. `inherit` for a new policy if it is left out.
             * @enum {string}
             */
            override_mode?: "inherit" | "enforce" | "monitor";
            /**
             * @description What is decided when no rule matches. `deny` for a new policy if it is left out.
             * @enum {string}
             */
            default_effect?: "allow" | "deny" | "require_approval";
            /** @description True switches data-loss prevention on, which needs the plan Pro or higher. False for a new policy if it is left out. */
            dlp_enabled?: boolean;
            /** @description Rules of the policy, at most 1,000. */
            rules?: components["schemas"]["NewRule"][];
        };
        /** @description A rule to add. Patterns, priorities and values are checked with the whole policy. */
        NewRule: {
            /** @description Name of the rule, at most 200 characters. It may be empty. */
            name?: string;
            /** @description Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority. */
            priority: number;
            /** @description False switches the rule off. */
            enabled?: boolean;
            /**
             * @description What the rule decides. A `deny` that matches wins over every other rule.
             * @enum {string}
             */
            effect: "allow" | "deny" | "require_approval";
            /** @description When the rule matches: one of the tool patterns, and every condition. */
            match: {
                /** @description Tool patterns, 1 to 100, such as `mcp:files/*`. One of them must match. */
                tools: string[];
                /** @description Conditions, at most 50. All of them must hold. Without conditions the tool patterns decide. */
                when?: components["schemas"]["Condition"][];
            };
            /** @description Why the rule exists, at most 2,000 characters. The agent gets it with a denial. */
            reason?: string;
        };
        /** @description A document with rules that decide the calls of agents. Every save makes a version. */
        Policy: {
            /**
             * Format: uuid
             * @description Id of the policy.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Name of the policy, at most 200 characters. */
            name: string;
            /** @description What the policy is for. Empty if nobody wrote a description. */
            description: string;
            /** @description Environment that the policy is for. Null: every environment of the tenant. */
            environment_id: string | null;
            /**
             * @description Governance mode of the policy. `inherit` takes the mode of the environment.
             * @enum {string}
             */
            override_mode: "inherit" | "enforce" | "monitor";
            /**
             * @description What is decided when no rule matches.
             * @enum {string}
             */
            default_effect: "allow" | "deny" | "require_approval";
            /** @description True switches data-loss prevention on. It needs the plan Pro or higher. */
            dlp_enabled: boolean;
            /** @description Number of the policy version: 1 for the first, one more with each save. */
            version: number;
            /** @description Rules of the policy, by priority. */
            rules: components["schemas"]["Rule"][];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the policy was last saved.
             */
            updated_at: string;
            /** @description Advice about rules that can never decide, and similar. Only in the answer to a save; not stored. */
            warnings?: components["schemas"]["PolicyWarning"][];
        };
        /** @description A whole policy, as in a policy file. Every field is required, so that a missing field cannot allow more calls. */
        PolicyDocument: {
            /** @description Name of the policy, trimmed, 1 to 200 characters. */
            name: string;
            /** @description What the policy is for. At most 2,000 characters; it may be empty. */
            description: string;
            /** @description Environment that the policy is for. Null: every environment of the tenant. */
            environment_id: string | null;
            /**
             * @description Governance mode of the policy. `inherit` takes the mode of the environment.
             * @enum {string}
             */
            override_mode: "inherit" | "enforce" | "monitor";
            /**
             * @description What is decided when no rule matches.
             * @enum {string}
             */
            default_effect: "allow" | "deny" | "require_approval";
            /** @description True switches data-loss prevention on. It needs the plan Pro or higher. */
            dlp_enabled: boolean;
            /** @description All rules of the policy, at most 1,000. Rules that are not in the list are removed. */
            rules: components["schemas"]["DocumentRule"][];
        };
        /** @description Fields of a policy to change. Rules are changed by their own routes. */
        PolicyUpdate: {
            /** @description Name of the policy, trimmed, 1 to 200 characters. */
            name?: string;
            /** @description What the policy is for. At most 2,000 characters. */
            description?: string;
            /** @description Environment that the policy is for. Null: every environment of the tenant. A key that is bound to an environment places a new policy there. */
            environment_id?: string | null;
            /**
             * @description Governance mode of the policy. `inherit` for a new policy if it is left out.
             * @enum {string}
             */
            override_mode?: "inherit" | "enforce" | "monitor";
            /**
             * @description What is decided when no rule matches. `deny` for a new policy if it is left out.
             * @enum {string}
             */
            default_effect?: "allow" | "deny" | "require_approval";
            /** @description True switches data-loss prevention on, which needs the plan Pro or higher. False for a new policy if it is left out. */
            dlp_enabled?: boolean;
        };
        /** @description One save of a policy. */
        PolicyVersion: {
            /** @description Number of the policy version: 1 for the first, one more with each save. */
            version: number;
            /**
             * @description What made the version: the creation, an update of fields, a change of a rule, or a restore.
             * @enum {string}
             */
            produced_by: "created" | "updated" | "rule_created" | "rule_updated" | "rule_deleted" | "restored";
            /** @description Version whose snapshot was restored. Only for `restored`. */
            restored_from?: number;
            /** @description Who saved the version, with the name of that time. */
            saved_by: {
                /** @description Id of the user. Null if the service recorded the version itself. */
                user_id: string | null;
                /** @description Display name of the user at that time. */
                display_name: string;
                /** @description Address of the user at that time. */
                email: string;
            };
            /**
             * Format: date-time
             * @description When the version was saved.
             */
            saved_at: string;
            /** @description What differs from the version before. Empty for version 1. */
            change_summary: components["schemas"]["ChangeSummary"];
            /**
             * @description What the save did to the calls. `tightens`: no call is decided more freely. `loosens`: no call is decided more strictly. `neutral`: both hold, as for version 1. `mixed`: neither is proven.
             * @enum {string}
             */
            change_class: "tightens" | "loosens" | "mixed" | "neutral";
            /** @description SHA-256 of the RFC 8785 canonical JSON of the snapshot, as 64 hexadecimal characters. */
            content_hash: string;
        };
        /** @description One save of a policy, with its snapshot and its changes. */
        PolicyVersionDetail: {
            /** @description Number of the policy version: 1 for the first, one more with each save. */
            version: number;
            /**
             * @description What made the version: the creation, an update of fields, a change of a rule, or a restore.
             * @enum {string}
             */
            produced_by: "created" | "updated" | "rule_created" | "rule_updated" | "rule_deleted" | "restored";
            /** @description Version whose snapshot was restored. Only for `restored`. */
            restored_from?: number;
            /** @description Who saved the version, with the name of that time. */
            saved_by: {
                /** @description Id of the user. Null if the service recorded the version itself. */
                user_id: string | null;
                /** @description Display name of the user at that time. */
                display_name: string;
                /** @description Address of the user at that time. */
                email: string;
            };
            /**
             * Format: date-time
             * @description When the version was saved.
             */
            saved_at: string;
            /** @description What differs from the version before. Empty for version 1. */
            change_summary: components["schemas"]["ChangeSummary"];
            /**
             * @description What the save did to the calls. `tightens`: no call is decided more freely. `loosens`: no call is decided more strictly. `neutral`: both hold, as for version 1. `mixed`: neither is proven.
             * @enum {string}
             */
            change_class: "tightens" | "loosens" | "mixed" | "neutral";
            /** @description SHA-256 of the RFC 8785 canonical JSON of the snapshot, as 64 hexadecimal characters. */
            content_hash: string;
            /** @description Fields and rules of the version. */
            snapshot: {
                /** @description Name of the policy, at most 200 characters. */
                name: string;
                /** @description What the policy is for. Empty if nobody wrote a description. */
                description: string;
                /** @description Environment that the policy is for. Null: every environment of the tenant. */
                environment_id: string | null;
                /**
                 * @description Governance mode of the policy. `inherit` takes the mode of the environment.
                 * @enum {string}
                 */
                override_mode: "inherit" | "enforce" | "monitor";
                /**
                 * @description What is decided when no rule matches.
                 * @enum {string}
                 */
                default_effect: "allow" | "deny" | "require_approval";
                /** @description True switches data-loss prevention on. It needs the plan Pro or higher. */
                dlp_enabled: boolean;
                /** @description Rules of the version, by priority. */
                rules: components["schemas"]["Rule"][];
            };
            /** @description What changed against the version before. Null for version 1. */
            diff: {
                /** @description Policy fields that changed. */
                fields: {
                    /** @description Name of the field. */
                    field: string;
                    /** @description Value before the save. */
                    from: unknown;
                    /** @description Value after the save. */
                    to: unknown;
                }[];
                /** @description Rules that changed. */
                rules: {
                    /** @description Rules that the version added. */
                    added: components["schemas"]["Rule"][];
                    /** @description Rules that the version removed. */
                    removed: components["schemas"]["Rule"][];
                    /** @description Rules that the version changed. */
                    changed: {
                        /**
                         * Format: uuid
                         * @description Id of the rule.
                         */
                        id: string;
                        /** @description Fields of the rule that changed. */
                        fields: {
                            /** @description Name of the field. */
                            field: string;
                            /** @description Value before the save. */
                            from: unknown;
                            /** @description Value after the save. */
                            to: unknown;
                        }[];
                    }[];
                };
            } | null;
        };
        /** @description Advice about a rule that is saved nevertheless. */
        PolicyWarning: {
            /** @description Id of the rule that the warning is about. Absent if it is about no rule. */
            rule_id?: string;
            /** @description Where in the document, such as `rules[2].match.when[0]`. */
            path: string;
            /** @description What is wrong, in words. */
            message: string;
        };
        /** @description What stops working when a user is removed. */
        RemovalPreview: {
            /** @description API keys that would stop working. */
            api_keys: {
                /** @description Number of keys that work now. */
                count: number;
                /**
                 * Format: date-time
                 * @description When one of them was last used. Absent if none was used.
                 */
                last_used_at?: string;
            };
            /** @description Number of agents that the user owns and that are not archived. They stay without an owner. */
            agents_owned: number;
            /** @description Number of pending reviews that the user asked for. */
            open_reviews: number;
        };
        /** @description A compliance report: what was true of agents and policies at one moment. */
        Report: {
            /**
             * Format: uuid
             * @description Id of the report.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Environment of the report. Null for a report of the organization. */
            environment_id: string | null;
            /** @description Title of the report, at most 200 characters. */
            title: string;
            /** @description Id of the user who generated the report. Null after that user was removed. */
            generated_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * @description `running` while a job makes the report, then `ready` or `failed`. A small report is `ready` at once.
             * @enum {string}
             */
            status: "running" | "ready" | "failed";
            /** @description Part of the report that is done, from 0 to 1. */
            progress: number;
            /** @description Why the report could not be made. Only in a failed one. */
            failure?: string;
            /**
             * Format: date-time
             * @description When the report was taken from the list. Absent while it is in the list.
             */
            deleted_at?: string;
            /** @description Share links of the report, revoked ones too. */
            share_links: {
                /**
                 * Format: uuid
                 * @description Id of the share link.
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created_at: string;
                /** @description From this time the link is 404. Null for a link that does not expire. */
                expires_at: string | null;
                /** @description When the link was revoked. Null unless it was revoked. */
                revoked_at: string | null;
            }[];
            /** @description What was true when the report was made. Null until the report is ready. */
            snapshot: components["schemas"]["ReportSnapshot"] | null;
        };
        /** @description What was true when the report was made. `counts` are of everything; each list has the newest 10,000 at most. */
        ReportSnapshot: {
            /** @description Name of the tenant when the report was made. */
            organization: string;
            /** @description Environment of the report when it was made. Null in a report of the whole organization. */
            environment: {
                /**
                 * Format: uuid
                 * @description Id of the environment.
                 */
                id: string;
                /** @description Name of the environment. */
                name: string;
                /** @description Slug of the environment. */
                slug: string;
                /** @description True for a production environment. */
                is_production: boolean;
            } | null;
            /** @description How many there are of everything. The lists have at most 10,000 entries each. */
            counts: {
                /** @description Number of agents. */
                agents: number;
                /** @description Number of policies. */
                policies: number;
                /** @description Number of agents with an approval of record. */
                approvals: number;
                /** @description Number of agents with drift. */
                drift: number;
                /** @description Number of agents for each state of execution coverage. */
                coverage: {
                    [key: string]: number;
                };
                /** @description Number of open findings. */
                findings: number;
            };
            /** @description Agents of the report, the newest 10,000 at most. */
            agents: {
                /**
                 * Format: uuid
                 * @description Id of the agent.
                 */
                id: string;
                /** @description Name of the agent. */
                name: string;
                /** @description Status of the agent. */
                status: string;
                /** @description Where the agent comes from. */
                source: string;
                /** @description Governance state of the agent. */
                governance_state: string;
                /** @description Governance mode of the agent. Null without a policy. */
                governance_mode: string | null;
                /** @description Lifecycle status of the agent. */
                lifecycle_status: string;
                /** @description Environment of the agent. Null if it has none. */
                environment_id: string | null;
                /** @description Assigned policy. Null if no policy is assigned. */
                policy: {
                    /**
                     * Format: uuid
                     * @description Id of the policy.
                     */
                    id: string;
                    /** @description Name of the policy. */
                    name: string;
                    /** @description Number of the policy version: 1 for the first, one more with each save. */
                    version: number;
                } | null;
                /** @description When a heartbeat last named the agent. Null before the first one. */
                last_heartbeat_at: string | null;
            }[];
            /** @description Policies of the report, the newest 10,000 at most. */
            policies: {
                /**
                 * Format: uuid
                 * @description Id of the policy.
                 */
                id: string;
                /** @description Name of the policy. */
                name: string;
                /** @description Environment that the policy is for. Null: every environment. */
                environment_id: string | null;
                /** @description Override mode of the policy. */
                override_mode: string;
                /** @description Default effect of the policy. */
                default_effect: string;
                /** @description Number of the policy version: 1 for the first, one more with each save. */
                version: number;
                /** @description Content hash of that version. */
                content_hash: string;
                /** @description Number of rules. */
                rules: number;
            }[];
            /** @description Agents with an approval of record, and the last review that approved or attested them. */
            approvals: {
                /**
                 * Format: uuid
                 * @description Id of the agent.
                 */
                agent_id: string;
                /** @description Name of the agent. */
                agent_name: string;
                /** @description Lifecycle status of the agent. */
                lifecycle_status: string;
                /** @description The approval of record. */
                approved: {
                    /**
                     * Format: uuid
                     * @description Id of the policy.
                     */
                    policy_id: string;
                    /** @description Version of the policy. Null if it is unknown. */
                    version: number | null;
                    /** @description Content hash of that version. Null if it is unknown. */
                    content_hash: string | null;
                };
                /** @description The last review that approved or attested the agent. Null if it is gone. */
                review: {
                    /**
                     * Format: uuid
                     * @description Id of the review.
                     */
                    id: string;
                    /** @description Kind of the review. */
                    kind: string;
                    /** @description Status of the review. */
                    status: string;
                    /**
                     * Format: date-time
                     * @description When the review was resolved.
                     */
                    resolved_at: string;
                } | null;
            }[];
            /** @description Agents that run another version than the approved one. An agent without approval or report has no drift. */
            drift: {
                /**
                 * Format: uuid
                 * @description Id of the agent.
                 */
                agent_id: string;
                /** @description Name of the agent. */
                agent_name: string;
                /** @description The approval of record. */
                approved: {
                    /**
                     * Format: uuid
                     * @description Id of the policy.
                     */
                    policy_id: string;
                    /** @description Version of the policy. Null if it is unknown. */
                    version: number | null;
                    /** @description Content hash of that version. Null if it is unknown. */
                    content_hash: string | null;
                };
                /** @description What the edge reported. */
                running: {
                    /**
                     * Format: uuid
                     * @description Id of the policy.
                     */
                    policy_id: string;
                    /** @description Version of the policy. Null if it is unknown. */
                    version: number | null;
                    /** @description Content hash of that version. Null if it is unknown. */
                    content_hash: string | null;
                };
            }[];
            /** @description Execution coverage of each agent. */
            coverage: {
                /**
                 * Format: uuid
                 * @description Id of the agent.
                 */
                agent_id: string;
                /** @description Name of the agent. */
                agent_name: string;
                /**
                 * @description Execution coverage of the agent when the report was made.
                 * @enum {string}
                 */
                state: "unknown" | "claimed" | "observed" | "covered" | "partial" | "stale";
            }[];
            /** @description Findings that were open when the report was made. */
            findings: {
                /**
                 * Format: uuid
                 * @description Id of the finding.
                 */
                id: string;
                /**
                 * Format: uuid
                 * @description Id of the agent.
                 */
                agent_id: string;
                /** @description Name of the agent. */
                agent_name: string;
                /** @description What the finding is about. */
                type: string;
                /** @description `low`, `medium` or `high`. */
                severity: string;
                /** @description What to do, in one sentence. */
                remediation: string;
                /**
                 * Format: date-time
                 * @description When the finding was opened.
                 */
                opened_at: string;
            }[];
        };
        /** @description A compliance report without its snapshot. */
        ReportSummary: {
            /**
             * Format: uuid
             * @description Id of the report.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /** @description Environment of the report. Null for a report of the organization. */
            environment_id: string | null;
            /** @description Title of the report, at most 200 characters. */
            title: string;
            /** @description Id of the user who generated the report. Null after that user was removed. */
            generated_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * @description `running` while a job makes the report, then `ready` or `failed`. A small report is `ready` at once.
             * @enum {string}
             */
            status: "running" | "ready" | "failed";
            /** @description Part of the report that is done, from 0 to 1. */
            progress: number;
            /** @description Why the report could not be made. Only in a failed one. */
            failure?: string;
        };
        /** @description Lets a scoped user see one agent. */
        ResourceGrant: {
            /**
             * Format: uuid
             * @description Id of the grant, to revoke it.
             */
            id: string;
            /**
             * @description Kind of the resource: always `agent`.
             * @constant
             */
            resource_type: "agent";
            /**
             * Format: uuid
             * @description Id of the agent that the user sees.
             */
            resource_id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description A decision of people about an agent. At most one review of each kind is pending for an agent. */
        Review: {
            /**
             * Format: uuid
             * @description Id of the review.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the agent.
             */
            agent_id: string;
            /**
             * @description Why the review was opened. `onboarding`: the agent is new. `change`: it runs a policy that is not approved. `attestation`: a person asked for it.
             * @enum {string}
             */
            kind: "onboarding" | "change" | "attestation";
            /**
             * @description `pending` until it is resolved. `superseded`: another event made the review unnecessary.
             * @enum {string}
             */
            status: "pending" | "approved" | "rejected" | "attested" | "superseded";
            /**
             * @description Lowest role that resolves the review: `owner` for onboarding and change reviews of production agents, otherwise `manager`.
             * @enum {string}
             */
            assigned_role: "manager" | "owner";
            /** @description Id of the user who asked for the review. Null if a heartbeat opened it. */
            requested_by: string | null;
            /**
             * Format: date-time
             * @description When the review was opened.
             */
            opened_at: string;
            /** @description Id of the user who resolved the review. It stays after that user was removed. Null while the review is pending, and if it was superseded. */
            resolved_by: string | null;
            /** @description When the review was resolved or superseded. Null while it is pending. */
            resolved_at: string | null;
            /** @description What the person wrote with the decision. Null if nothing was written. */
            comment: string | null;
        };
        /** @description A rule of a policy: tool patterns, conditions, and an effect. */
        Rule: {
            /**
             * Format: uuid
             * @description Id of the rule. It stays the same when the policy is restored.
             */
            id: string;
            /** @description Name of the rule, at most 200 characters. It may be empty. */
            name: string;
            /** @description Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority. */
            priority: number;
            /** @description False switches the rule off. */
            enabled: boolean;
            /**
             * @description What the rule decides. A `deny` that matches wins over every other rule.
             * @enum {string}
             */
            effect: "allow" | "deny" | "require_approval";
            /** @description Why the rule exists, at most 2,000 characters. The agent gets it with a denial. */
            reason: string;
            /** @description When the rule matches: one of the tool patterns, and every condition. */
            match: {
                /** @description Tool patterns, such as `mcp:files/*`. One of them must match. */
                tools: string[];
                /** @description Conditions. All of them must hold. */
                when: components["schemas"]["Condition"][];
            };
        };
        /** @description Fields of a rule to change. A field that is left out stays unchanged; `match` is replaced as a whole. */
        RuleUpdate: {
            /** @description Name of the rule, at most 200 characters. It may be empty. */
            name?: string;
            /** @description Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority. */
            priority?: number;
            /** @description False switches the rule off. */
            enabled?: boolean;
            /**
             * @description What the rule decides. A `deny` that matches wins over every other rule.
             * @enum {string}
             */
            effect?: "allow" | "deny" | "require_approval";
            /** @description When the rule matches: one of the tool patterns, and every condition. */
            match?: {
                /** @description Tool patterns, 1 to 100, such as `mcp:files/*`. One of them must match. */
                tools: string[];
                /** @description Conditions, at most 50. All of them must hold. Without conditions the tool patterns decide. */
                when?: components["schemas"]["Condition"][];
            };
            /** @description Why the rule exists, at most 2,000 characters. The agent gets it with a denial. */
            reason?: string;
        };
        /** @description A rule after its save, with the version that the save made. */
        SavedRule: {
            /**
             * Format: uuid
             * @description Id of the rule. It stays the same when the policy is restored.
             */
            id: string;
            /** @description Name of the rule, at most 200 characters. It may be empty. */
            name: string;
            /** @description Order of the rule: the lowest number is tested first. Two rules of a policy cannot have the same priority. */
            priority: number;
            /** @description False switches the rule off. */
            enabled: boolean;
            /**
             * @description What the rule decides. A `deny` that matches wins over every other rule.
             * @enum {string}
             */
            effect: "allow" | "deny" | "require_approval";
            /** @description Why the rule exists, at most 2,000 characters. The agent gets it with a denial. */
            reason: string;
            /** @description When the rule matches: one of the tool patterns, and every condition. */
            match: {
                /** @description Tool patterns, such as `mcp:files/*`. One of them must match. */
                tools: string[];
                /** @description Conditions. All of them must hold. */
                when: components["schemas"]["Condition"][];
            };
            /** @description Version of the policy that this save made. */
            policy_version: number;
            /** @description Advice about the saved document. An empty list means no warning. */
            warnings: components["schemas"]["PolicyWarning"][];
        };
        /** @description The tokens of a person who is signed in. */
        Session: {
            /** @description Signed token (JWT) for the header `Authorization: Bearer`. It is valid for at most 15 minutes. */
            access_token: string;
            /** @description Token for one refresh. Each refresh gives a new one. */
            refresh_token: string;
            /**
             * @description Type of the token: always `Bearer`.
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds until the access token expires. */
            expires_in: number;
        };
        /** @description A compliance report as a share link shows it. */
        SharedReport: {
            /** @description Title of the report. */
            title: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description What was true when the report was made. */
            snapshot: components["schemas"]["ReportSnapshot"];
        };
        /** @description One way to sign in. */
        SignInProvider: {
            /**
             * @description Way to sign in.
             * @enum {string}
             */
            type: "password" | "google" | "saml";
            /** @description `saml.` and the provider id, for the sign-in route. Only for `saml`. */
            provider?: string;
        };
        /** @description Result of a sign-in. */
        SignedIn: {
            /** @description Tokens of the new session. */
            session: components["schemas"]["Session"];
            /** @description The user who signed in. */
            user: components["schemas"]["User"];
        };
        /** @description The public keys of the control plane. The signature in `successor` is over the RFC 8785 canonical JSON of {next_public_key_pem, previous_public_key_pem, purpose: "mandate signing key succession"}. */
        SigningKeys: {
            /** @description Public keys, the one that signs first, then earlier ones from new to old. */
            keys: {
                /** @description Id of the key, as signatures name it. */
                kid: string;
                /** @description Ed25519 public key in PEM. */
                public_key_pem: string;
                /** @description The key that replaced this one, with this key's signature over it. Absent for the key that signs. */
                successor?: {
                    /** @description Id of the next key. */
                    kid: string;
                    /** @description Ed25519 signature of this key, base64. */
                    signature: string;
                };
            }[];
        };
        /** @description A call that an agent could make. */
        SimulatedCall: {
            /** @description Full name of the tool, such as `mcp:files/read`, `resource:files/read` or `prompt:notes/summary`. */
            tool: string;
            /** @description Arguments of the call, for conditions on `args.`. */
            args?: {
                [key: string]: unknown;
            };
            /** @description Agent of the call, for conditions on `agent.`: `id`, `name` and `status`. */
            agent?: {
                [key: string]: unknown;
            };
            /** @description Environment of the call, for conditions on `environment.`: `id`, `name` and `slug`. */
            environment?: {
                [key: string]: unknown;
            };
        };
        /** @description What to decide: given calls, recorded calls, or both. */
        Simulation: {
            /** @description Calls to decide, 1 to 100. Required unless `replay` is sent. */
            calls?: components["schemas"]["SimulatedCall"][];
            /** @description A changed document to decide with. Fields that it leaves out are those of the stored policy. */
            document?: components["schemas"]["CandidatePolicy"];
            /** @description Decides the recorded calls of the agents under the policy again. */
            replay?: {
                /**
                 * @description Number of days to look back, 1 to 30.
                 * @default 7
                 */
                days: number;
            };
        };
        /** @description What the policy decides about the calls. */
        SimulationResult: {
            /** @description Stored version that decided. Null if the document of the request decided. */
            policy_version: number | null;
            /** @description One result for each call, in the same order. */
            results: {
                /** @description Tool of the call. */
                tool: string;
                /**
                 * @description What is decided.
                 * @enum {string}
                 */
                effect: "allow" | "deny" | "require_approval";
                /** @description Rule that decided. Null for the default effect. */
                rule_id: string | null;
                /** @description Why, as the agent would read it. */
                reason: string;
                /** @description Path of a condition that could not be decided, so that the rule matched. Null if there was none. */
                undecided: string | null;
            }[];
            /** @description Advice about the document of the request. Empty for the stored policy. */
            warnings: components["schemas"]["PolicyWarning"][];
            /** @description Result of the replay. Absent unless it was asked for. */
            replay?: components["schemas"]["DecisionReplay"];
        };
        /** @description An organization. Every user, agent, key and policy belongs to exactly one tenant. */
        Tenant: {
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            id: string;
            /** @description Name of the organization, 1 to 200 characters. */
            name: string;
            /**
             * @description Plan of the tenant. It decides features and the number of seats.
             * @enum {string}
             */
            plan: "free" | "pro" | "enterprise";
            /**
             * @description Lifecycle status of new agents: `approved` for `off`, `proposed` for `alert` and `enforce`. Under `enforce` an agent that is not approved is denied everything.
             * @enum {string}
             */
            governance_gate: "off" | "alert" | "enforce";
            /** @description True if people sign in with SAML. */
            saml_enabled: boolean;
            /** @description Domain of the addresses that sign in with SAML, in lower case. Empty if it is not set. */
            saml_email_domain: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description A person in a tenant, with a role. An invitation is a user with the status `pending`. */
        User: {
            /**
             * Format: uuid
             * @description Id of the user.
             */
            id: string;
            /**
             * Format: uuid
             * @description Id of the tenant.
             */
            tenant_id: string;
            /**
             * Format: email
             * @description Address of the user.
             */
            email: string;
            /** @description Name of the user, at most 200 characters. It is on Academy certificates too. It may be empty. */
            display_name: string;
            /**
             * @description Role of the user in the tenant.
             * @enum {string}
             */
            role: "viewer" | "member" | "manager" | "owner";
            /**
             * @description `pending`: an invitation that nobody has accepted. `active`: the person has joined.
             * @enum {string}
             */
            status: "pending" | "active";
            /** @description True for a learner: a user of the training product only, who takes no seat. */
            academy_only: boolean;
            /** @description True if the user has a second factor. */
            mfa_enrolled: boolean;
            /**
             * @description `all`: the user sees the whole tenant. `scoped`: only granted agents and accessible environments. An owner is never scoped.
             * @enum {string}
             */
            access_scope: "all" | "scoped";
            /**
             * Format: date-time
             * @description When the user last sent a request. Absent before the first one.
             */
            last_active_at?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
        };
        /** @description The credential of a request: the session of a person, or an API key with its scopes and binding. */
        Via: {
            /**
             * @description The request comes from a signed-in person.
             * @constant
             */
            type: "session";
        } | {
            /**
             * @description The request comes from a program with an API key.
             * @constant
             */
            type: "api_key";
            /**
             * Format: uuid
             * @description Id of the API key.
             */
            id: string;
            /** @description First 8 characters of the API key. */
            prefix: string;
            /** @description Environment that the key is bound to. Null for a key that works in the whole tenant. */
            environment: {
                /**
                 * Format: uuid
                 * @description Id of the environment.
                 */
                id: string;
                /** @description Name of the environment. */
                name: string;
                /** @description Short name of the environment, unique in the tenant. */
                slug: string;
            } | null;
            /** @description What the key may do. An empty list means no limit beyond the role of its creator. */
            scopes: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "password": "correct horse battery staple",
                 *       "display_name": "Grace Hopper",
                 *       "organization": "Analytical Engines"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address of the person, at most 320 characters. White space around it is removed.
                     */
                    email: string;
                    /** @description The new password: 10 to 256 characters. Common passwords, and passwords made of the name or address, are refused. */
                    password: string;
                    /** @description Name to show, at most 200 characters once cleaned. Empty if it is left out. */
                    display_name?: string;
                    /** @description Name of the new tenant, trimmed, 1 to 200 characters. */
                    organization: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant": {
                     *         "id": "01980000-0000-7000-8000-000000000001",
                     *         "name": "Analytical Engines",
                     *         "plan": "free",
                     *         "governance_gate": "alert",
                     *         "saml_enabled": false,
                     *         "saml_email_domain": "",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       },
                     *       "user": {
                     *         "id": "01980000-0000-7000-8000-000000000011",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "email": "grace@example.com",
                     *         "display_name": "Grace Hopper",
                     *         "role": "owner",
                     *         "status": "active",
                     *         "academy_only": false,
                     *         "mfa_enrolled": false,
                     *         "access_scope": "all",
                     *         "last_active_at": "2026-03-02T08:15:00.000Z",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       },
                     *       "session": {
                     *         "access_token": "an access token",
                     *         "refresh_token": "a refresh token",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description The tenant that was created. */
                        tenant: components["schemas"]["Tenant"];
                        /** @description The owner of the new tenant. */
                        user: components["schemas"]["User"];
                        /** @description A session of that owner. */
                        session: components["schemas"]["Session"];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "correct horse battery staple",
                 *       "otp": "123456"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address of the person, at most 320 characters. White space around it is removed.
                     */
                    email: string;
                    /** @description Password of the account. */
                    password: string;
                    /** @description One-time password or recovery code. Required for an account with a second factor: without it the answer is 401 with the code `mfa_required`. */
                    otp?: string;
                    /** @description Token of the link that was mailed after too many attempts. */
                    mail_token?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": {
                     *         "access_token": "an access token",
                     *         "refresh_token": "a refresh token",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900
                     *       },
                     *       "user": {
                     *         "id": "01980000-0000-7000-8000-000000000012",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "email": "ada@example.com",
                     *         "display_name": "Ada Lovelace",
                     *         "role": "member",
                     *         "status": "active",
                     *         "academy_only": false,
                     *         "mfa_enrolled": true,
                     *         "access_scope": "all",
                     *         "last_active_at": "2026-03-02T08:15:00.000Z",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials; codes: `mfa_required` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "a refresh token"
                 *     }
                 */
                "application/json": {
                    /** @description The latest refresh token of the session. */
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": {
                     *         "access_token": "an access token",
                     *         "refresh_token": "a refresh token",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description The new session. Its refresh token replaces the one that was sent. */
                        session: components["schemas"]["Session"];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exchange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "the code of the sign-in"
                 *     }
                 */
                "application/json": {
                    /** @description Code of the sign-in, from the address the browser was sent to. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": {
                     *         "access_token": "an access token",
                     *         "refresh_token": "a refresh token",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900
                     *       },
                     *       "user": {
                     *         "id": "01980000-0000-7000-8000-000000000012",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "email": "ada@example.com",
                     *         "display_name": "Ada Lovelace",
                     *         "role": "member",
                     *         "status": "active",
                     *         "academy_only": false,
                     *         "mfa_enrolled": true,
                     *         "access_scope": "all",
                     *         "last_active_at": "2026-03-02T08:15:00.000Z",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "a refresh token"
                 *     }
                 */
                "application/json": {
                    /** @description The latest refresh token of the session. */
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000121",
                     *           "created_at": "2026-03-01T08:00:00.000Z",
                     *           "last_used_at": "2026-03-02T08:15:00.000Z",
                     *           "ip": "192.0.2.10",
                     *           "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
                     *           "current": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Sessions of the account, at most 100. */
                        data: components["schemas"]["AccountSession"][];
                    };
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user": {
                     *         "id": "01980000-0000-7000-8000-000000000012",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "email": "ada@example.com",
                     *         "display_name": "Ada Lovelace",
                     *         "role": "member",
                     *         "status": "active",
                     *         "academy_only": false,
                     *         "mfa_enrolled": true,
                     *         "access_scope": "all",
                     *         "last_active_at": "2026-03-02T08:15:00.000Z",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       },
                     *       "tenant": {
                     *         "id": "01980000-0000-7000-8000-000000000001",
                     *         "name": "Analytical Engines",
                     *         "plan": "pro",
                     *         "governance_gate": "alert",
                     *         "saml_enabled": false,
                     *         "saml_email_domain": "",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       },
                     *       "via": {
                     *         "type": "api_key",
                     *         "id": "01980000-0000-7000-8000-000000000061",
                     *         "prefix": "mk_0a1b2",
                     *         "environment": {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "name": "Development",
                     *           "slug": "development"
                     *         },
                     *         "scopes": [
                     *           "agents:read"
                     *         ]
                     *       },
                     *       "email_verified": true
                     *     }
                     */
                    "application/json": {
                        /** @description The user. For an API key: the user who created it. */
                        user: components["schemas"]["User"];
                        /** @description The tenant of the user. */
                        tenant: components["schemas"]["Tenant"];
                        /** @description The session or API key of the request. */
                        via: components["schemas"]["Via"];
                        /** @description False until the address of the user was verified by a mailed link. */
                        email_verified: boolean;
                    };
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /** @description Address of the person who wants to sign in. Without it SAML is left out. */
                email?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "providers": [
                     *         {
                     *           "type": "password"
                     *         },
                     *         {
                     *           "type": "saml",
                     *           "provider": "saml.engines"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Ways to sign in, with `password` first. */
                        providers: components["schemas"]["SignInProvider"][];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the invitation",
                 *       "password": "correct horse battery staple",
                 *       "otp": "123456",
                 *       "display_name": "Charles Babbage"
                 *     }
                 */
                "application/json": {
                    /** @description Token of the mailed invitation link. It works once, for 7 days. */
                    token: string;
                    /** @description A new password, or the password of the account that the address has. 10 to 256 characters. */
                    password?: string;
                    /** @description One-time password or recovery code, for an account with a second factor. */
                    otp?: string;
                    /** @description Name to show, at most 200 characters once cleaned. */
                    display_name?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": {
                     *         "access_token": "an access token",
                     *         "refresh_token": "a refresh token",
                     *         "token_type": "Bearer",
                     *         "expires_in": 900
                     *       },
                     *       "user": {
                     *         "id": "01980000-0000-7000-8000-000000000012",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "email": "ada@example.com",
                     *         "display_name": "Ada Lovelace",
                     *         "role": "member",
                     *         "status": "active",
                     *         "academy_only": false,
                     *         "mfa_enrolled": true,
                     *         "access_scope": "all",
                     *         "last_active_at": "2026-03-02T08:15:00.000Z",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials; codes: `mfa_required` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state; codes: `owner_elsewhere`, `user_elsewhere` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Used or expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the invitation"
                 *     }
                 */
                "application/json": {
                    /** @description Token of the mailed invitation link. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "organization": "Analytical Engines",
                     *       "role": "member",
                     *       "invited_by": "Grace Hopper",
                     *       "email": "charles@example.com",
                     *       "expires_at": "2026-03-09T08:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["InvitationPreview"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Used or expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address of the account.
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "If the address has an account, a link to choose a new password is on its way."
                     *     }
                     */
                    "application/json": {
                        /** @description Text for the person who asked. */
                        message: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the link",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** @description Token of the mailed link. */
                    token: string;
                    /** @description The new password: 10 to 256 characters. Common passwords, and passwords made of the name or address, are refused. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Used or expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "correct horse battery staple",
                 *       "password": "a longer battery staple"
                 *     }
                 */
                "application/json": {
                    /** @description The current password. A wrong one is 403 with the code `wrong_password`. */
                    current_password: string;
                    /** @description The new password: 10 to 256 characters. Common passwords, and passwords made of the name or address, are refused. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `wrong_password`, `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the link"
                 *     }
                 */
                "application/json": {
                    /** @description Token of the mailed link. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Used or expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Unless your address is confirmed, a link to confirm it is on its way."
                     *     }
                     */
                    "application/json": {
                        /** @description Text for the person who asked. */
                        message: string;
                    };
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /** @description The current password of the account. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "JBSWY3DPEHPK3PXP",
                     *       "otpauth_url": "otpauth://totp/Mandate:ada@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Mandate"
                     *     }
                     */
                    "application/json": {
                        /** @description Secret of the factor in base32, for an authenticator app. It is shown once. */
                        secret: string;
                        /** @description The same secret as an `otpauth://` address, for a QR code. */
                        otpauth_url: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `fresh_sign_in_required`, `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "otp": "123456"
                 *     }
                 */
                "application/json": {
                    /** @description First code of the authenticator app. */
                    otp: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovery_codes": [
                     *         "0123-4567-89AB-CDEF",
                     *         "GHJK-MNPQ-RSTV-WXYZ"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Codes that replace a one-time password, each once. They are shown once. */
                        recovery_codes: string[];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startGoogle: {
        parameters: {
            query?: {
                /** @description Token of an invitation to accept with the Google account. */
                invitation?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is sent to another address */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    finishGoogle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is sent to another address */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startSaml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Provider id of the tenant's SAML sign-in, without the prefix `saml.`. */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is sent to another address */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    finishSaml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Provider id of the tenant's SAML sign-in, without the prefix `saml.`. */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "SAMLResponse": "PHNhbWxwOlJlc3BvbnNlLz4=",
                 *       "RelayState": "the state of the sign-in"
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /** @description SAML response of the identity provider, base64. */
                    SAMLResponse: string;
                    /** @description Value that ties the response to the browser that started the sign-in. */
                    RelayState?: string;
                };
            };
        };
        responses: {
            /** @description The browser is sent to another address */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 300 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSamlMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Provider id of the tenant's SAML sign-in, without the prefix `saml.`. */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Only users with this text in display name or address. Upper and lower case are the same. */
                search?: string;
                /** @description Field to sort by. Another value counts as `created_at`. */
                sort_by?: "name" | "email" | "created_at";
                /** @description Ascending or descending. Another value counts as `desc`. */
                sort_order?: "asc" | "desc";
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000012",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "email": "ada@example.com",
                     *           "display_name": "Ada Lovelace",
                     *           "role": "member",
                     *           "status": "active",
                     *           "academy_only": false,
                     *           "mfa_enrolled": true,
                     *           "access_scope": "all",
                     *           "last_active_at": "2026-03-02T08:15:00.000Z",
                     *           "created_at": "2026-01-05T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["User"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000012",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "display_name": "Ada Lovelace",
                     *       "role": "member",
                     *       "status": "active",
                     *       "academy_only": false,
                     *       "mfa_enrolled": true,
                     *       "access_scope": "all",
                     *       "last_active_at": "2026-03-02T08:15:00.000Z",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "display_name": "Ada Lovelace"
                 *     }
                 */
                "application/json": {
                    /** @description Name to show, at most 200 characters once cleaned. Cleaning drops control characters and joins white space. */
                    display_name?: string;
                    /**
                     * @description Role to give. Only an owner makes an owner.
                     * @enum {string}
                     */
                    role?: "viewer" | "member" | "manager" | "owner";
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000012",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "display_name": "Ada Lovelace",
                     *       "role": "member",
                     *       "status": "active",
                     *       "academy_only": false,
                     *       "mfa_enrolled": true,
                     *       "access_scope": "all",
                     *       "last_active_at": "2026-03-02T08:15:00.000Z",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state; codes: `academy_only_user` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["CodedError"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMyself: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewRemoval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "api_keys": {
                     *         "count": 2,
                     *         "last_used_at": "2026-03-02T08:10:00.000Z"
                     *       },
                     *       "agents_owned": 3,
                     *       "open_reviews": 1
                     *     }
                     */
                    "application/json": components["schemas"]["RemovalPreview"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resetMfa: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000012",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "display_name": "Ada Lovelace",
                     *       "role": "member",
                     *       "status": "active",
                     *       "academy_only": false,
                     *       "mfa_enrolled": false,
                     *       "access_scope": "all",
                     *       "last_active_at": "2026-03-02T08:15:00.000Z",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The identity provider failed; nothing changed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeUserSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    grantPlatformAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Role to give. A learner cannot become an owner.
                     * @enum {string}
                     */
                    role: "viewer" | "manager" | "member";
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000013",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "display_name": "Ada Lovelace",
                     *       "role": "member",
                     *       "status": "active",
                     *       "academy_only": false,
                     *       "mfa_enrolled": true,
                     *       "access_scope": "all",
                     *       "last_active_at": "2026-03-02T08:15:00.000Z",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state; codes: `seat_limit_reached` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["CodedError"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setAccessScope: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "access_scope": "scoped"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Access scope to set.
                     * @enum {string}
                     */
                    access_scope: "all" | "scoped";
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000012",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "display_name": "Ada Lovelace",
                     *       "role": "member",
                     *       "status": "active",
                     *       "academy_only": false,
                     *       "mfa_enrolled": true,
                     *       "access_scope": "scoped",
                     *       "last_active_at": "2026-03-02T08:15:00.000Z",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "grants": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-0000000000e1",
                     *           "resource_type": "agent",
                     *           "resource_id": "01980000-0000-7000-8000-000000000031",
                     *           "created_at": "2026-02-01T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Grants of the user. */
                        grants: components["schemas"]["ResourceGrant"][];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resource_type": "agent",
                 *       "resource_id": "01980000-0000-7000-8000-000000000031"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Kind of the resource: always `agent`.
                     * @enum {string}
                     */
                    resource_type: "agent";
                    /**
                     * Format: uuid
                     * @description Id of the agent to grant.
                     */
                    resource_id: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceGrant"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000e1",
                     *       "resource_type": "agent",
                     *       "resource_id": "01980000-0000-7000-8000-000000000031",
                     *       "created_at": "2026-02-01T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceGrant"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
                /** @description Id of the grant. */
                grant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEnvironmentAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "environment_access": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-0000000000f1",
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "environment_name": "Development",
                     *           "environment_slug": "development",
                     *           "created_at": "2026-02-01T10:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Environments that the user has access to. */
                        environment_access: components["schemas"]["EnvironmentAccess"][];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createEnvironmentAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "environment_id": "01980000-0000-7000-8000-000000000022"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the environment.
                     */
                    environment_id: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnvironmentAccess"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000f1",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "environment_name": "Development",
                     *       "environment_slug": "development",
                     *       "created_at": "2026-02-01T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["EnvironmentAccess"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeEnvironmentAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the user. */
                user_id: string;
                /** @description Id of the access entry. */
                access_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOwnTenant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tenant": {
                     *         "id": "01980000-0000-7000-8000-000000000001",
                     *         "name": "Analytical Engines",
                     *         "plan": "pro",
                     *         "governance_gate": "alert",
                     *         "saml_enabled": false,
                     *         "saml_email_domain": "",
                     *         "created_at": "2026-01-05T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description The tenant of the caller. */
                        tenant: components["schemas"]["Tenant"];
                    };
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Analytical Engines",
                     *       "plan": "pro",
                     *       "governance_gate": "alert",
                     *       "saml_enabled": false,
                     *       "saml_email_domain": "",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Analytical Engines"
                 *     }
                 */
                "application/json": {
                    /** @description Name of the organization, trimmed, 1 to 200 characters. */
                    name?: string;
                    /** @description True switches SAML sign-in on. */
                    saml_enabled?: boolean;
                    /** @description Entity id of the identity provider. It is never returned. */
                    saml_entity_id?: string;
                    /** @description Address of the identity provider's sign-in service. It is never returned. */
                    saml_sso_url?: string;
                    /** @description X.509 certificate of the identity provider in PEM. It is never returned. */
                    saml_certificate?: string;
                    /** @description Domain of the addresses that sign in with SAML. It is stored trimmed and in lower case. An empty string clears it. */
                    saml_email_domain?: string;
                    /** @description Provider id for the sign-in routes, with or without the prefix `saml.`. It is never returned. An empty string clears it. */
                    saml_provider_id?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Analytical Engines",
                     *       "plan": "pro",
                     *       "governance_gate": "alert",
                     *       "saml_enabled": false,
                     *       "saml_email_domain": "",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "Analytical Engines"
                 *     }
                 */
                "application/json": {
                    /** @description Exact name of the tenant. */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "charles@example.com",
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address to invite, trimmed.
                     */
                    email: string;
                    /**
                     * @description Role that the user gets on joining.
                     * @enum {string}
                     */
                    role: "viewer" | "member" | "manager" | "owner";
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "01980000-0000-7000-8000-000000000012",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "charles@example.com",
                     *       "role": "member",
                     *       "message": "An invitation for charles@example.com has been created."
                     *     }
                     */
                    "application/json": components["schemas"]["Invited"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state; codes: `academy_learner_exists`, `already_member` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["CodedError"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    inviteLearner: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "mary@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @description Address to invite, trimmed.
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "user_id": "01980000-0000-7000-8000-000000000013",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "email": "mary@example.com",
                     *       "role": "viewer",
                     *       "message": "An invitation for mary@example.com has been created."
                     *     }
                     */
                    "application/json": components["schemas"]["Invited"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state; codes: `already_member` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["CodedError"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getGovernanceGate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gate": "alert"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description `off`: new agents are `approved`. `alert`: they are `proposed` and may act. `enforce`: they are `proposed` and denied everything until they are approved.
                         * @enum {string}
                         */
                        gate: "off" | "alert" | "enforce";
                    };
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setGovernanceGate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "gate": "enforce"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `off`: new agents are `approved`. `alert`: they are `proposed` and may act. `enforce`: they are `proposed` and denied everything until they are approved.
                     * @enum {string}
                     */
                    gate: "off" | "alert" | "enforce";
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gate": "enforce"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description `off`: new agents are `approved`. `alert`: they are `proposed` and may act. `enforce`: they are `proposed` and denied everything until they are approved.
                         * @enum {string}
                         */
                        gate: "off" | "alert" | "enforce";
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEnvironments: {
        parameters: {
            query?: {
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "name": "Staging",
                     *           "slug": "staging",
                     *           "is_production": false,
                     *           "governance_mode": "enforce",
                     *           "created_at": "2026-01-05T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["Environment"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Staging",
                 *       "slug": "staging",
                 *       "is_production": false,
                 *       "governance_mode": "enforce"
                 *     }
                 */
                "application/json": {
                    /** @description Name of the environment, trimmed, 1 to 100 characters. */
                    name: string;
                    /** @description Short name: 1 to 63 lower-case letters, digits or hyphens. Another environment of the tenant with this slug makes it 409. */
                    slug: string;
                    /** @description True makes it a production environment. False if it is left out. */
                    is_production?: boolean;
                    /**
                     * @description Mode for policies with the override mode `inherit`. `enforce` if it is left out.
                     * @enum {string}
                     */
                    governance_mode?: "enforce" | "monitor";
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000022",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Staging",
                     *       "slug": "staging",
                     *       "is_production": false,
                     *       "governance_mode": "enforce",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Environment"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the environment. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000022",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Staging",
                     *       "slug": "staging",
                     *       "is_production": false,
                     *       "governance_mode": "enforce",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Environment"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the environment. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Staging"
                 *     }
                 */
                "application/json": {
                    /** @description Name of the environment, trimmed, 1 to 100 characters. */
                    name?: string;
                    /** @description Short name: 1 to 63 lower-case letters, digits or hyphens. Another environment of the tenant with this slug makes it 409. */
                    slug?: string;
                    /** @description True makes it a production environment. False if it is left out. */
                    is_production?: boolean;
                    /**
                     * @description Mode for policies with the override mode `inherit`. `enforce` if it is left out.
                     * @enum {string}
                     */
                    governance_mode?: "enforce" | "monitor";
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000022",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Staging",
                     *       "slug": "staging",
                     *       "is_production": false,
                     *       "governance_mode": "enforce",
                     *       "created_at": "2026-01-05T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Environment"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteEnvironment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the environment. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewEnvironmentDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the environment. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reports_kept": 4,
                     *       "live_share_links": 1,
                     *       "reports_listed": 3
                     *     }
                     */
                    "application/json": components["schemas"]["EnvironmentDeletionPreview"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000061",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "created_by": "01980000-0000-7000-8000-000000000012",
                     *           "name": "Deployment pipeline",
                     *           "key_prefix": "mk_0a1b2",
                     *           "scopes": [
                     *             "agents:read",
                     *             "policies:*"
                     *           ],
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "expires_at": "2999-01-01T00:00:00.000Z",
                     *           "created_at": "2026-02-10T12:00:00.000Z",
                     *           "last_used_at": "2026-03-02T08:10:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["ApiKey"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Deployment pipeline",
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "scopes": [
                 *         "agents:read",
                 *         "policies:*"
                 *       ],
                 *       "expires_at": "2999-01-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /** @description What the key is for, trimmed, 1 to 200 characters. */
                    name: string;
                    /**
                     * Format: uuid
                     * @description Environment to bind the key to. Without it the key works in the whole tenant, which needs the access scope `all`.
                     */
                    environment_id?: string;
                    /** @description Each is `<resource>:<action>`; the action is `read`, `write` or `*`. `*` alone, or no scope, is unrestricted. Resources: `agents`, `api-keys`, `approvals`, `audit`, `auth`, `academy`, `credentials`, `edges`, `environments`, `findings`, `governance-gate`, `platforms`, `policies`, `reports`, `reviews`, `tenants`, `users`. Every key may call GET /auth/session. */
                    scopes?: string[];
                    /**
                     * Format: date-time
                     * @description From this time the key is refused. It must be in the future. Without it the key does not expire.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000061",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "created_by": "01980000-0000-7000-8000-000000000012",
                     *       "name": "Deployment pipeline",
                     *       "key_prefix": "mk_0a1b2",
                     *       "scopes": [
                     *         "agents:read",
                     *         "policies:*"
                     *       ],
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "expires_at": "2999-01-01T00:00:00.000Z",
                     *       "created_at": "2026-02-10T12:00:00.000Z",
                     *       "raw_key": "mk_0a1b200000000000000000000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    bindApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "environment_id": null
                 *     }
                 */
                "application/json": {
                    /** @description Environment to bind the key to. Null makes the key work in the whole tenant. */
                    environment_id: string | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000061",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "created_by": "01980000-0000-7000-8000-000000000012",
                     *       "name": "Deployment pipeline",
                     *       "key_prefix": "mk_0a1b2",
                     *       "scopes": [
                     *         "agents:read",
                     *         "policies:*"
                     *       ],
                     *       "expires_at": "2999-01-01T00:00:00.000Z",
                     *       "created_at": "2026-02-10T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000061",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "created_by": "01980000-0000-7000-8000-000000000012",
                     *       "name": "Deployment pipeline",
                     *       "key_prefix": "mk_0a1b2",
                     *       "scopes": [
                     *         "agents:read",
                     *         "policies:*"
                     *       ],
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "expires_at": "2999-01-01T00:00:00.000Z",
                     *       "created_at": "2026-02-10T12:00:00.000Z",
                     *       "revoked_at": "2026-03-02T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                /** @description Only policies that are for this environment. */
                environment_id?: string;
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000041",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "name": "Files",
                     *           "description": "What agents may do with files.",
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "override_mode": "enforce",
                     *           "default_effect": "deny",
                     *           "dlp_enabled": false,
                     *           "version": 3,
                     *           "rules": [
                     *             {
                     *               "id": "01980000-0000-7000-8000-000000000051",
                     *               "name": "Keep system files",
                     *               "priority": 500,
                     *               "enabled": true,
                     *               "effect": "deny",
                     *               "match": {
                     *                 "tools": [
                     *                   "mcp:files/*"
                     *                 ],
                     *                 "when": [
                     *                   {
                     *                     "path": "args.path",
                     *                     "op": "under",
                     *                     "value": "/etc"
                     *                   }
                     *                 ]
                     *               },
                     *               "reason": "System files stay as they are."
                     *             }
                     *           ],
                     *           "created_at": "2026-01-20T09:00:00.000Z",
                     *           "updated_at": "2026-02-20T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["Policy"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Files",
                 *       "description": "What agents may do with files.",
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "override_mode": "enforce",
                 *       "default_effect": "deny",
                 *       "dlp_enabled": false,
                 *       "rules": [
                 *         {
                 *           "name": "Keep system files",
                 *           "priority": 500,
                 *           "enabled": true,
                 *           "effect": "deny",
                 *           "match": {
                 *             "tools": [
                 *               "mcp:files/*"
                 *             ],
                 *             "when": [
                 *               {
                 *                 "path": "args.path",
                 *                 "op": "under",
                 *                 "value": "/etc"
                 *               }
                 *             ]
                 *           },
                 *           "reason": "System files stay as they are."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewPolicy"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000041",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Files",
                     *       "description": "What agents may do with files.",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "override_mode": "enforce",
                     *       "default_effect": "deny",
                     *       "dlp_enabled": false,
                     *       "version": 1,
                     *       "rules": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000051",
                     *           "name": "Keep system files",
                     *           "priority": 500,
                     *           "enabled": true,
                     *           "effect": "deny",
                     *           "match": {
                     *             "tools": [
                     *               "mcp:files/*"
                     *             ],
                     *             "when": [
                     *               {
                     *                 "path": "args.path",
                     *                 "op": "under",
                     *                 "value": "/etc"
                     *               }
                     *             ]
                     *           },
                     *           "reason": "System files stay as they are."
                     *         }
                     *       ],
                     *       "created_at": "2026-01-20T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    validatePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Files",
                 *       "description": "What agents may do with files.",
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "override_mode": "enforce",
                 *       "default_effect": "deny",
                 *       "dlp_enabled": false,
                 *       "rules": [
                 *         {
                 *           "name": "Keep system files",
                 *           "priority": 500,
                 *           "enabled": true,
                 *           "effect": "deny",
                 *           "match": {
                 *             "tools": [
                 *               "mcp:files/*"
                 *             ],
                 *             "when": [
                 *               {
                 *                 "path": "args.path",
                 *                 "op": "under",
                 *                 "value": "/etc"
                 *               }
                 *             ]
                 *           },
                 *           "reason": "System files stay as they are."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CandidatePolicy"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "valid": true,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Always true: a document with faults is 400.
                         * @constant
                         */
                        valid: true;
                        /** @description Advice about rules that can never decide, and similar. */
                        warnings: components["schemas"]["PolicyWarning"][];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000041",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Files",
                     *       "description": "What agents may do with files.",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "override_mode": "enforce",
                     *       "default_effect": "deny",
                     *       "dlp_enabled": false,
                     *       "version": 3,
                     *       "rules": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000051",
                     *           "name": "Keep system files",
                     *           "priority": 500,
                     *           "enabled": true,
                     *           "effect": "deny",
                     *           "match": {
                     *             "tools": [
                     *               "mcp:files/*"
                     *             ],
                     *             "when": [
                     *               {
                     *                 "path": "args.path",
                     *                 "op": "under",
                     *                 "value": "/etc"
                     *               }
                     *             ]
                     *           },
                     *           "reason": "System files stay as they are."
                     *         }
                     *       ],
                     *       "created_at": "2026-01-20T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updatePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Files",
                 *       "description": "What agents may do with files.",
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "override_mode": "enforce",
                 *       "default_effect": "deny",
                 *       "dlp_enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["PolicyUpdate"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000041",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Files",
                     *       "description": "What agents may do with files.",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "override_mode": "enforce",
                     *       "default_effect": "deny",
                     *       "dlp_enabled": false,
                     *       "version": 3,
                     *       "rules": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000051",
                     *           "name": "Keep system files",
                     *           "priority": 500,
                     *           "enabled": true,
                     *           "effect": "deny",
                     *           "match": {
                     *             "tools": [
                     *               "mcp:files/*"
                     *             ],
                     *             "when": [
                     *               {
                     *                 "path": "args.path",
                     *                 "op": "under",
                     *                 "value": "/etc"
                     *               }
                     *             ]
                     *           },
                     *           "reason": "System files stay as they are."
                     *         }
                     *       ],
                     *       "created_at": "2026-01-20T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replacePolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Files",
                 *       "description": "What agents may do with files.",
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "override_mode": "enforce",
                 *       "default_effect": "deny",
                 *       "dlp_enabled": false,
                 *       "rules": [
                 *         {
                 *           "id": "01980000-0000-7000-8000-000000000051",
                 *           "name": "Keep system files",
                 *           "priority": 500,
                 *           "enabled": true,
                 *           "effect": "deny",
                 *           "match": {
                 *             "tools": [
                 *               "mcp:files/*"
                 *             ],
                 *             "when": [
                 *               {
                 *                 "path": "args.path",
                 *                 "op": "under",
                 *                 "value": "/etc"
                 *               }
                 *             ]
                 *           },
                 *           "reason": "System files stay as they are."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000041",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Files",
                     *       "description": "What agents may do with files.",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "override_mode": "enforce",
                     *       "default_effect": "deny",
                     *       "dlp_enabled": false,
                     *       "version": 3,
                     *       "rules": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000051",
                     *           "name": "Keep system files",
                     *           "priority": 500,
                     *           "enabled": true,
                     *           "effect": "deny",
                     *           "match": {
                     *             "tools": [
                     *               "mcp:files/*"
                     *             ],
                     *             "when": [
                     *               {
                     *                 "path": "args.path",
                     *                 "op": "under",
                     *                 "value": "/etc"
                     *               }
                     *             ]
                     *           },
                     *           "reason": "System files stay as they are."
                     *         }
                     *       ],
                     *       "created_at": "2026-01-20T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Keep system files",
                 *       "priority": 500,
                 *       "enabled": true,
                 *       "effect": "deny",
                 *       "match": {
                 *         "tools": [
                 *           "mcp:files/*"
                 *         ],
                 *         "when": [
                 *           {
                 *             "path": "args.path",
                 *             "op": "under",
                 *             "value": "/etc"
                 *           }
                 *         ]
                 *       },
                 *       "reason": "System files stay as they are."
                 *     }
                 */
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000051",
                     *       "name": "Keep system files",
                     *       "priority": 500,
                     *       "enabled": true,
                     *       "effect": "deny",
                     *       "match": {
                     *         "tools": [
                     *           "mcp:files/*"
                     *         ],
                     *         "when": [
                     *           {
                     *             "path": "args.path",
                     *             "op": "under",
                     *             "value": "/etc"
                     *           }
                     *         ]
                     *       },
                     *       "reason": "System files stay as they are.",
                     *       "policy_version": 3,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SavedRule"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
                /** @description Id of the rule. */
                rule_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Keep system files",
                 *       "priority": 500,
                 *       "enabled": true,
                 *       "effect": "deny",
                 *       "match": {
                 *         "tools": [
                 *           "mcp:files/*"
                 *         ],
                 *         "when": [
                 *           {
                 *             "path": "args.path",
                 *             "op": "under",
                 *             "value": "/etc"
                 *           }
                 *         ]
                 *       },
                 *       "reason": "System files stay as they are."
                 *     }
                 */
                "application/json": components["schemas"]["RuleUpdate"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000051",
                     *       "name": "Keep system files",
                     *       "priority": 500,
                     *       "enabled": true,
                     *       "effect": "deny",
                     *       "match": {
                     *         "tools": [
                     *           "mcp:files/*"
                     *         ],
                     *         "when": [
                     *           {
                     *             "path": "args.path",
                     *             "op": "under",
                     *             "value": "/etc"
                     *           }
                     *         ]
                     *       },
                     *       "reason": "System files stay as they are.",
                     *       "policy_version": 3,
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["SavedRule"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
                /** @description Id of the rule. */
                rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    simulatePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "calls": [
                 *         {
                 *           "tool": "mcp:files/read",
                 *           "args": {
                 *             "path": "/etc/passwd"
                 *           },
                 *           "agent": {
                 *             "name": "Invoice reader"
                 *           },
                 *           "environment": {
                 *             "slug": "development"
                 *           }
                 *         }
                 *       ],
                 *       "document": {
                 *         "name": "Files",
                 *         "description": "What agents may do with files.",
                 *         "environment_id": "01980000-0000-7000-8000-000000000022",
                 *         "override_mode": "enforce",
                 *         "default_effect": "deny",
                 *         "dlp_enabled": false,
                 *         "rules": [
                 *           {
                 *             "name": "Keep system files",
                 *             "priority": 500,
                 *             "enabled": true,
                 *             "effect": "deny",
                 *             "match": {
                 *               "tools": [
                 *                 "mcp:files/*"
                 *               ],
                 *               "when": [
                 *                 {
                 *                   "path": "args.path",
                 *                   "op": "under",
                 *                   "value": "/etc"
                 *                 }
                 *               ]
                 *             },
                 *             "reason": "System files stay as they are."
                 *           }
                 *         ]
                 *       },
                 *       "replay": {
                 *         "days": 7
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Simulation"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "policy_version": null,
                     *       "results": [
                     *         {
                     *           "tool": "mcp:files/read",
                     *           "effect": "deny",
                     *           "rule_id": "01980000-0000-7000-8000-000000000051",
                     *           "reason": "System files stay as they are.",
                     *           "undecided": null
                     *         }
                     *       ],
                     *       "warnings": [],
                     *       "replay": {
                     *         "from": "2026-02-23T09:00:00.000Z",
                     *         "to": "2026-03-02T09:00:00.000Z",
                     *         "decisions": 120,
                     *         "complete": true,
                     *         "changed": 0,
                     *         "undecidable": 120,
                     *         "totals": [
                     *           {
                     *             "was": "allow",
                     *             "would_be": null,
                     *             "calls": 120,
                     *             "enforced": 120
                     *           }
                     *         ],
                     *         "examples": [
                     *           {
                     *             "tool": "mcp:files/read",
                     *             "was": "allow",
                     *             "would_be": null,
                     *             "rule_id": null,
                     *             "undecidable": [
                     *               "args.path"
                     *             ],
                     *             "mode": "enforce",
                     *             "policy_version": 2,
                     *             "calls": 120,
                     *             "last_at": "2026-03-02T08:55:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SimulationResult"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPolicyVersions: {
        parameters: {
            query?: {
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Id of the policy. */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "version": 3,
                     *           "produced_by": "rule_created",
                     *           "saved_by": {
                     *             "user_id": "01980000-0000-7000-8000-000000000012",
                     *             "display_name": "Ada Lovelace",
                     *             "email": "ada@example.com"
                     *           },
                     *           "saved_at": "2026-02-20T09:00:00.000Z",
                     *           "change_summary": {
                     *             "fields": [],
                     *             "rules_added": 1,
                     *             "rules_removed": 0,
                     *             "rules_changed": 0
                     *           },
                     *           "change_class": "tightens",
                     *           "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["PolicyVersion"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPolicyVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the policy. */
                policy_id: string;
                /** @description Number of the version, from 1. 404 for a number that the policy does not have. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": 3,
                     *       "produced_by": "rule_created",
                     *       "saved_by": {
                     *         "user_id": "01980000-0000-7000-8000-000000000012",
                     *         "display_name": "Ada Lovelace",
                     *         "email": "ada@example.com"
                     *       },
                     *       "saved_at": "2026-02-20T09:00:00.000Z",
                     *       "change_summary": {
                     *         "fields": [],
                     *         "rules_added": 1,
                     *         "rules_removed": 0,
                     *         "rules_changed": 0
                     *       },
                     *       "change_class": "tightens",
                     *       "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "snapshot": {
                     *         "name": "Files",
                     *         "description": "What agents may do with files.",
                     *         "environment_id": "01980000-0000-7000-8000-000000000022",
                     *         "override_mode": "enforce",
                     *         "default_effect": "deny",
                     *         "dlp_enabled": false,
                     *         "rules": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000051",
                     *             "name": "Keep system files",
                     *             "priority": 500,
                     *             "enabled": true,
                     *             "effect": "deny",
                     *             "match": {
                     *               "tools": [
                     *                 "mcp:files/*"
                     *               ],
                     *               "when": [
                     *                 {
                     *                   "path": "args.path",
                     *                   "op": "under",
                     *                   "value": "/etc"
                     *                 }
                     *               ]
                     *             },
                     *             "reason": "System files stay as they are."
                     *           }
                     *         ]
                     *       },
                     *       "diff": {
                     *         "fields": [],
                     *         "rules": {
                     *           "added": [
                     *             {
                     *               "id": "01980000-0000-7000-8000-000000000051",
                     *               "name": "Keep system files",
                     *               "priority": 500,
                     *               "enabled": true,
                     *               "effect": "deny",
                     *               "match": {
                     *                 "tools": [
                     *                   "mcp:files/*"
                     *                 ],
                     *                 "when": [
                     *                   {
                     *                     "path": "args.path",
                     *                     "op": "under",
                     *                     "value": "/etc"
                     *                   }
                     *                 ]
                     *               },
                     *               "reason": "System files stay as they are."
                     *             }
                     *           ],
                     *           "removed": [],
                     *           "changed": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyVersionDetail"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restorePolicyVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that was read, such as `"3"`. 412 if the policy has another version now. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the policy. */
                policy_id: string;
                /** @description Number of the version, from 1. 404 for a number that the policy does not have. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000041",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Files",
                     *       "description": "What agents may do with files.",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "override_mode": "enforce",
                     *       "default_effect": "deny",
                     *       "dlp_enabled": false,
                     *       "version": 4,
                     *       "rules": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000051",
                     *           "name": "Keep system files",
                     *           "priority": 500,
                     *           "enabled": true,
                     *           "effect": "deny",
                     *           "match": {
                     *             "tools": [
                     *               "mcp:files/*"
                     *             ],
                     *             "when": [
                     *               {
                     *                 "path": "args.path",
                     *                 "op": "under",
                     *                 "value": "/etc"
                     *               }
                     *             ]
                     *           },
                     *           "reason": "System files stay as they are."
                     *         }
                     *       ],
                     *       "created_at": "2026-01-20T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z",
                     *       "warnings": []
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The policy has another version than `If-Match` names */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Only agents with this status. */
                status?: "registered" | "active" | "suspended" | "archived";
                /** @description Only agents that come from this source. */
                source?: "runtime" | "github" | "salesforce" | "m365" | "snowflake";
                /** @description Only agents with this governance state. `governed` if it is left out. */
                governance_state?: "discovered" | "governed" | "suppressed";
                /** @description Only agents with this lifecycle status. */
                lifecycle_status?: "proposed" | "approved" | "blocked" | "retired";
                /** @description Only agents with this execution coverage. It is computed as `execution_coverage_state` is. */
                execution_coverage?: "unknown" | "claimed" | "observed" | "covered" | "partial" | "stale";
                /** @description Only agents with this text in the name. Upper and lower case are the same. */
                search?: string;
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                page_size?: number;
                /** @description The `next_page_token` of the page before. Leave it out for the first page. A token of another list is 400. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000031",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "name": "Invoice reader",
                     *           "description": "Reads invoices and enters them into the ledger.",
                     *           "framework": "langgraph",
                     *           "model": "claude-sonnet",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "metadata": {
                     *             "team": "finance"
                     *           },
                     *           "status": "active",
                     *           "source": "runtime",
                     *           "governance_state": "governed",
                     *           "governance_mode": "enforce",
                     *           "lifecycle_status": "approved",
                     *           "execution_coverage_state": "partial",
                     *           "execution_coverage": {
                     *             "state": "partial",
                     *             "attested": {
                     *               "mode": "partial",
                     *               "tools": [
                     *                 "mcp:files/read"
                     *               ],
                     *               "mediation_points": [
                     *                 "mcp"
                     *               ],
                     *               "edge_version": "0.1.0",
                     *               "attested_at": "2026-03-02T08:00:00.000Z"
                     *             },
                     *             "observed": {
                     *               "window_start": "2026-03-02T08:00:00.000Z",
                     *               "window_end": "2026-03-02T08:05:00.000Z",
                     *               "actions_seen": 12,
                     *               "actions_mediated": 12,
                     *               "unmediated_seen": 0,
                     *               "reported_at": "2026-03-02T08:05:01.000Z"
                     *             },
                     *             "findings": [
                     *               {
                     *                 "id": "01980000-0000-7000-8000-000000000091",
                     *                 "agent_id": "01980000-0000-7000-8000-000000000031",
                     *                 "type": "coverage_gap",
                     *                 "severity": "medium",
                     *                 "status": "open",
                     *                 "evidence": {
                     *                   "attested": {
                     *                     "mode": "partial",
                     *                     "attested_at": "2026-03-02T08:00:00.000Z"
                     *                   }
                     *                 },
                     *                 "remediation": "Route everything the agent does through the edge's mediation points.",
                     *                 "opened_at": "2026-03-02T08:00:00.000Z",
                     *                 "closed_at": null
                     *               }
                     *             ],
                     *             "computed_at": "2026-03-02T08:06:00.000Z"
                     *           },
                     *           "environment": {
                     *             "id": "01980000-0000-7000-8000-000000000022",
                     *             "name": "Development",
                     *             "slug": "development"
                     *           },
                     *           "policy": {
                     *             "id": "01980000-0000-7000-8000-000000000041",
                     *             "name": "Files",
                     *             "version": 3
                     *           },
                     *           "approved_policy": {
                     *             "id": "01980000-0000-7000-8000-000000000041",
                     *             "version": 3
                     *           },
                     *           "running_policy": {
                     *             "id": "01980000-0000-7000-8000-000000000041",
                     *             "version": 3,
                     *             "reported_at": "2026-03-02T08:05:30.000Z"
                     *           },
                     *           "drift": false,
                     *           "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *           "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *           "created_at": "2026-02-01T09:00:00.000Z",
                     *           "updated_at": "2026-02-20T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "next_page_token": "the token of the next page"
                     *     }
                     */
                    "application/json": {
                        /** @description Agents of this page that the caller sees. */
                        data: components["schemas"]["Agent"][];
                        /** @description Send it as `page_token` to read the next page. Absent on the last page. */
                        next_page_token?: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Invoice reader",
                 *       "description": "Reads invoices and enters them into the ledger.",
                 *       "framework": "langgraph",
                 *       "model": "claude-sonnet",
                 *       "tools": [
                 *         "mcp:files/read"
                 *       ],
                 *       "metadata": {
                 *         "team": "finance"
                 *       },
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "policy_id": "01980000-0000-7000-8000-000000000041"
                 *     }
                 */
                "application/json": components["schemas"]["AgentCreate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent": {
                     *         "id": "01980000-0000-7000-8000-000000000031",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "name": "Invoice reader",
                     *         "description": "Reads invoices and enters them into the ledger.",
                     *         "framework": "langgraph",
                     *         "model": "claude-sonnet",
                     *         "tools": [
                     *           "mcp:files/read"
                     *         ],
                     *         "metadata": {
                     *           "team": "finance"
                     *         },
                     *         "status": "registered",
                     *         "source": "runtime",
                     *         "governance_state": "governed",
                     *         "governance_mode": "enforce",
                     *         "lifecycle_status": "proposed",
                     *         "execution_coverage_state": "unknown",
                     *         "execution_coverage": {
                     *           "state": "unknown",
                     *           "attested": null,
                     *           "observed": null,
                     *           "findings": [],
                     *           "computed_at": "2026-02-01T09:00:00.000Z"
                     *         },
                     *         "environment": {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "name": "Development",
                     *           "slug": "development"
                     *         },
                     *         "policy": {
                     *           "id": "01980000-0000-7000-8000-000000000041",
                     *           "name": "Files",
                     *           "version": 3
                     *         },
                     *         "approved_policy": null,
                     *         "running_policy": null,
                     *         "drift": null,
                     *         "owner_user_id": null,
                     *         "last_heartbeat_at": null,
                     *         "created_at": "2026-02-01T09:00:00.000Z",
                     *         "updated_at": "2026-02-20T09:00:00.000Z"
                     *       },
                     *       "agent_key": "ak_0000000000000000000000000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": {
                        /** @description The agent as it is after the request. */
                        agent: components["schemas"]["Agent"];
                        /** @description The agent key: `ak_` and 64 hexadecimal characters. It is shown once and cannot be read again. */
                        agent_key: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000031",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Invoice reader",
                     *       "description": "Reads invoices and enters them into the ledger.",
                     *       "framework": "langgraph",
                     *       "model": "claude-sonnet",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "metadata": {
                     *         "team": "finance"
                     *       },
                     *       "status": "active",
                     *       "source": "runtime",
                     *       "governance_state": "governed",
                     *       "governance_mode": "enforce",
                     *       "lifecycle_status": "approved",
                     *       "execution_coverage_state": "partial",
                     *       "execution_coverage": {
                     *         "state": "partial",
                     *         "attested": {
                     *           "mode": "partial",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "mediation_points": [
                     *             "mcp"
                     *           ],
                     *           "edge_version": "0.1.0",
                     *           "attested_at": "2026-03-02T08:00:00.000Z"
                     *         },
                     *         "observed": {
                     *           "window_start": "2026-03-02T08:00:00.000Z",
                     *           "window_end": "2026-03-02T08:05:00.000Z",
                     *           "actions_seen": 12,
                     *           "actions_mediated": 12,
                     *           "unmediated_seen": 0,
                     *           "reported_at": "2026-03-02T08:05:01.000Z"
                     *         },
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "type": "coverage_gap",
                     *             "severity": "medium",
                     *             "status": "open",
                     *             "evidence": {
                     *               "attested": {
                     *                 "mode": "partial",
                     *                 "attested_at": "2026-03-02T08:00:00.000Z"
                     *               }
                     *             },
                     *             "remediation": "Route everything the agent does through the edge's mediation points.",
                     *             "opened_at": "2026-03-02T08:00:00.000Z",
                     *             "closed_at": null
                     *           }
                     *         ],
                     *         "computed_at": "2026-03-02T08:06:00.000Z"
                     *       },
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "name": "Files",
                     *         "version": 3
                     *       },
                     *       "approved_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3
                     *       },
                     *       "running_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3,
                     *         "reported_at": "2026-03-02T08:05:30.000Z"
                     *       },
                     *       "drift": false,
                     *       "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *       "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *       "created_at": "2026-02-01T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Invoice reader",
                 *       "description": "Reads invoices and enters them into the ledger.",
                 *       "framework": "langgraph",
                 *       "model": "claude-sonnet",
                 *       "tools": [
                 *         "mcp:files/read"
                 *       ],
                 *       "metadata": {
                 *         "team": "finance"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AgentUpdate"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000031",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Invoice reader",
                     *       "description": "Reads invoices and enters them into the ledger.",
                     *       "framework": "langgraph",
                     *       "model": "claude-sonnet",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "metadata": {
                     *         "team": "finance"
                     *       },
                     *       "status": "active",
                     *       "source": "runtime",
                     *       "governance_state": "governed",
                     *       "governance_mode": "enforce",
                     *       "lifecycle_status": "approved",
                     *       "execution_coverage_state": "partial",
                     *       "execution_coverage": {
                     *         "state": "partial",
                     *         "attested": {
                     *           "mode": "partial",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "mediation_points": [
                     *             "mcp"
                     *           ],
                     *           "edge_version": "0.1.0",
                     *           "attested_at": "2026-03-02T08:00:00.000Z"
                     *         },
                     *         "observed": {
                     *           "window_start": "2026-03-02T08:00:00.000Z",
                     *           "window_end": "2026-03-02T08:05:00.000Z",
                     *           "actions_seen": 12,
                     *           "actions_mediated": 12,
                     *           "unmediated_seen": 0,
                     *           "reported_at": "2026-03-02T08:05:01.000Z"
                     *         },
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "type": "coverage_gap",
                     *             "severity": "medium",
                     *             "status": "open",
                     *             "evidence": {
                     *               "attested": {
                     *                 "mode": "partial",
                     *                 "attested_at": "2026-03-02T08:00:00.000Z"
                     *               }
                     *             },
                     *             "remediation": "Route everything the agent does through the edge's mediation points.",
                     *             "opened_at": "2026-03-02T08:00:00.000Z",
                     *             "closed_at": null
                     *           }
                     *         ],
                     *         "computed_at": "2026-03-02T08:06:00.000Z"
                     *       },
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "name": "Files",
                     *         "version": 3
                     *       },
                     *       "approved_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3
                     *       },
                     *       "running_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3,
                     *         "reported_at": "2026-03-02T08:05:30.000Z"
                     *       },
                     *       "drift": false,
                     *       "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *       "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *       "created_at": "2026-02-01T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    archiveAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    assignPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy_id": "01980000-0000-7000-8000-000000000041"
                 *     }
                 */
                "application/json": components["schemas"]["AssignPolicyRequest"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000031",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Invoice reader",
                     *       "description": "Reads invoices and enters them into the ledger.",
                     *       "framework": "langgraph",
                     *       "model": "claude-sonnet",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "metadata": {
                     *         "team": "finance"
                     *       },
                     *       "status": "active",
                     *       "source": "runtime",
                     *       "governance_state": "governed",
                     *       "governance_mode": "enforce",
                     *       "lifecycle_status": "approved",
                     *       "execution_coverage_state": "partial",
                     *       "execution_coverage": {
                     *         "state": "partial",
                     *         "attested": {
                     *           "mode": "partial",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "mediation_points": [
                     *             "mcp"
                     *           ],
                     *           "edge_version": "0.1.0",
                     *           "attested_at": "2026-03-02T08:00:00.000Z"
                     *         },
                     *         "observed": {
                     *           "window_start": "2026-03-02T08:00:00.000Z",
                     *           "window_end": "2026-03-02T08:05:00.000Z",
                     *           "actions_seen": 12,
                     *           "actions_mediated": 12,
                     *           "unmediated_seen": 0,
                     *           "reported_at": "2026-03-02T08:05:01.000Z"
                     *         },
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "type": "coverage_gap",
                     *             "severity": "medium",
                     *             "status": "open",
                     *             "evidence": {
                     *               "attested": {
                     *                 "mode": "partial",
                     *                 "attested_at": "2026-03-02T08:00:00.000Z"
                     *               }
                     *             },
                     *             "remediation": "Route everything the agent does through the edge's mediation points.",
                     *             "opened_at": "2026-03-02T08:00:00.000Z",
                     *             "closed_at": null
                     *           }
                     *         ],
                     *         "computed_at": "2026-03-02T08:06:00.000Z"
                     *       },
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "name": "Files",
                     *         "version": 3
                     *       },
                     *       "approved_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3
                     *       },
                     *       "running_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3,
                     *         "reported_at": "2026-03-02T08:05:30.000Z"
                     *       },
                     *       "drift": false,
                     *       "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *       "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *       "created_at": "2026-02-01T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeLifecycle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "lifecycle_status": "blocked",
                 *       "reason": "It deleted a table."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The lifecycle status to set.
                     * @enum {string}
                     */
                    lifecycle_status: "proposed" | "approved" | "blocked" | "retired";
                    /** @description Why the status changes, 1 to 2,000 characters. The audit entry records it. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000031",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Invoice reader",
                     *       "description": "Reads invoices and enters them into the ledger.",
                     *       "framework": "langgraph",
                     *       "model": "claude-sonnet",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "metadata": {
                     *         "team": "finance"
                     *       },
                     *       "status": "active",
                     *       "source": "runtime",
                     *       "governance_state": "governed",
                     *       "governance_mode": "enforce",
                     *       "lifecycle_status": "blocked",
                     *       "execution_coverage_state": "partial",
                     *       "execution_coverage": {
                     *         "state": "partial",
                     *         "attested": {
                     *           "mode": "partial",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "mediation_points": [
                     *             "mcp"
                     *           ],
                     *           "edge_version": "0.1.0",
                     *           "attested_at": "2026-03-02T08:00:00.000Z"
                     *         },
                     *         "observed": {
                     *           "window_start": "2026-03-02T08:00:00.000Z",
                     *           "window_end": "2026-03-02T08:05:00.000Z",
                     *           "actions_seen": 12,
                     *           "actions_mediated": 12,
                     *           "unmediated_seen": 0,
                     *           "reported_at": "2026-03-02T08:05:01.000Z"
                     *         },
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "type": "coverage_gap",
                     *             "severity": "medium",
                     *             "status": "open",
                     *             "evidence": {
                     *               "attested": {
                     *                 "mode": "partial",
                     *                 "attested_at": "2026-03-02T08:00:00.000Z"
                     *               }
                     *             },
                     *             "remediation": "Route everything the agent does through the edge's mediation points.",
                     *             "opened_at": "2026-03-02T08:00:00.000Z",
                     *             "closed_at": null
                     *           }
                     *         ],
                     *         "computed_at": "2026-03-02T08:06:00.000Z"
                     *       },
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "name": "Files",
                     *         "version": 3
                     *       },
                     *       "approved_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3
                     *       },
                     *       "running_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3,
                     *         "reported_at": "2026-03-02T08:05:30.000Z"
                     *       },
                     *       "drift": false,
                     *       "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *       "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *       "created_at": "2026-02-01T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    suppressAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    suspendAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000031",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Invoice reader",
                     *       "description": "Reads invoices and enters them into the ledger.",
                     *       "framework": "langgraph",
                     *       "model": "claude-sonnet",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "metadata": {
                     *         "team": "finance"
                     *       },
                     *       "status": "suspended",
                     *       "source": "runtime",
                     *       "governance_state": "governed",
                     *       "governance_mode": "enforce",
                     *       "lifecycle_status": "approved",
                     *       "execution_coverage_state": "partial",
                     *       "execution_coverage": {
                     *         "state": "partial",
                     *         "attested": {
                     *           "mode": "partial",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "mediation_points": [
                     *             "mcp"
                     *           ],
                     *           "edge_version": "0.1.0",
                     *           "attested_at": "2026-03-02T08:00:00.000Z"
                     *         },
                     *         "observed": {
                     *           "window_start": "2026-03-02T08:00:00.000Z",
                     *           "window_end": "2026-03-02T08:05:00.000Z",
                     *           "actions_seen": 12,
                     *           "actions_mediated": 12,
                     *           "unmediated_seen": 0,
                     *           "reported_at": "2026-03-02T08:05:01.000Z"
                     *         },
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "type": "coverage_gap",
                     *             "severity": "medium",
                     *             "status": "open",
                     *             "evidence": {
                     *               "attested": {
                     *                 "mode": "partial",
                     *                 "attested_at": "2026-03-02T08:00:00.000Z"
                     *               }
                     *             },
                     *             "remediation": "Route everything the agent does through the edge's mediation points.",
                     *             "opened_at": "2026-03-02T08:00:00.000Z",
                     *             "closed_at": null
                     *           }
                     *         ],
                     *         "computed_at": "2026-03-02T08:06:00.000Z"
                     *       },
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "name": "Files",
                     *         "version": 3
                     *       },
                     *       "approved_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3
                     *       },
                     *       "running_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3,
                     *         "reported_at": "2026-03-02T08:05:30.000Z"
                     *       },
                     *       "drift": false,
                     *       "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *       "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *       "created_at": "2026-02-01T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000031",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "name": "Invoice reader",
                     *       "description": "Reads invoices and enters them into the ledger.",
                     *       "framework": "langgraph",
                     *       "model": "claude-sonnet",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "metadata": {
                     *         "team": "finance"
                     *       },
                     *       "status": "active",
                     *       "source": "runtime",
                     *       "governance_state": "governed",
                     *       "governance_mode": "enforce",
                     *       "lifecycle_status": "approved",
                     *       "execution_coverage_state": "partial",
                     *       "execution_coverage": {
                     *         "state": "partial",
                     *         "attested": {
                     *           "mode": "partial",
                     *           "tools": [
                     *             "mcp:files/read"
                     *           ],
                     *           "mediation_points": [
                     *             "mcp"
                     *           ],
                     *           "edge_version": "0.1.0",
                     *           "attested_at": "2026-03-02T08:00:00.000Z"
                     *         },
                     *         "observed": {
                     *           "window_start": "2026-03-02T08:00:00.000Z",
                     *           "window_end": "2026-03-02T08:05:00.000Z",
                     *           "actions_seen": 12,
                     *           "actions_mediated": 12,
                     *           "unmediated_seen": 0,
                     *           "reported_at": "2026-03-02T08:05:01.000Z"
                     *         },
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "type": "coverage_gap",
                     *             "severity": "medium",
                     *             "status": "open",
                     *             "evidence": {
                     *               "attested": {
                     *                 "mode": "partial",
                     *                 "attested_at": "2026-03-02T08:00:00.000Z"
                     *               }
                     *             },
                     *             "remediation": "Route everything the agent does through the edge's mediation points.",
                     *             "opened_at": "2026-03-02T08:00:00.000Z",
                     *             "closed_at": null
                     *           }
                     *         ],
                     *         "computed_at": "2026-03-02T08:06:00.000Z"
                     *       },
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "name": "Files",
                     *         "version": 3
                     *       },
                     *       "approved_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3
                     *       },
                     *       "running_policy": {
                     *         "id": "01980000-0000-7000-8000-000000000041",
                     *         "version": 3,
                     *         "reported_at": "2026-03-02T08:05:30.000Z"
                     *       },
                     *       "drift": false,
                     *       "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *       "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *       "created_at": "2026-02-01T09:00:00.000Z",
                     *       "updated_at": "2026-02-20T09:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateAgentKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent": {
                     *         "id": "01980000-0000-7000-8000-000000000031",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "name": "Invoice reader",
                     *         "description": "Reads invoices and enters them into the ledger.",
                     *         "framework": "langgraph",
                     *         "model": "claude-sonnet",
                     *         "tools": [
                     *           "mcp:files/read"
                     *         ],
                     *         "metadata": {
                     *           "team": "finance"
                     *         },
                     *         "status": "active",
                     *         "source": "runtime",
                     *         "governance_state": "governed",
                     *         "governance_mode": "enforce",
                     *         "lifecycle_status": "approved",
                     *         "execution_coverage_state": "partial",
                     *         "execution_coverage": {
                     *           "state": "partial",
                     *           "attested": {
                     *             "mode": "partial",
                     *             "tools": [
                     *               "mcp:files/read"
                     *             ],
                     *             "mediation_points": [
                     *               "mcp"
                     *             ],
                     *             "edge_version": "0.1.0",
                     *             "attested_at": "2026-03-02T08:00:00.000Z"
                     *           },
                     *           "observed": {
                     *             "window_start": "2026-03-02T08:00:00.000Z",
                     *             "window_end": "2026-03-02T08:05:00.000Z",
                     *             "actions_seen": 12,
                     *             "actions_mediated": 12,
                     *             "unmediated_seen": 0,
                     *             "reported_at": "2026-03-02T08:05:01.000Z"
                     *           },
                     *           "findings": [
                     *             {
                     *               "id": "01980000-0000-7000-8000-000000000091",
                     *               "agent_id": "01980000-0000-7000-8000-000000000031",
                     *               "type": "coverage_gap",
                     *               "severity": "medium",
                     *               "status": "open",
                     *               "evidence": {
                     *                 "attested": {
                     *                   "mode": "partial",
                     *                   "attested_at": "2026-03-02T08:00:00.000Z"
                     *                 }
                     *               },
                     *               "remediation": "Route everything the agent does through the edge's mediation points.",
                     *               "opened_at": "2026-03-02T08:00:00.000Z",
                     *               "closed_at": null
                     *             }
                     *           ],
                     *           "computed_at": "2026-03-02T08:06:00.000Z"
                     *         },
                     *         "environment": {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "name": "Development",
                     *           "slug": "development"
                     *         },
                     *         "policy": {
                     *           "id": "01980000-0000-7000-8000-000000000041",
                     *           "name": "Files",
                     *           "version": 3
                     *         },
                     *         "approved_policy": {
                     *           "id": "01980000-0000-7000-8000-000000000041",
                     *           "version": 3
                     *         },
                     *         "running_policy": {
                     *           "id": "01980000-0000-7000-8000-000000000041",
                     *           "version": 3,
                     *           "reported_at": "2026-03-02T08:05:30.000Z"
                     *         },
                     *         "drift": false,
                     *         "owner_user_id": "01980000-0000-7000-8000-000000000012",
                     *         "last_heartbeat_at": "2026-03-02T08:05:30.000Z",
                     *         "created_at": "2026-02-01T09:00:00.000Z",
                     *         "updated_at": "2026-02-20T09:00:00.000Z"
                     *       },
                     *       "agent_key": "ak_0000000000000000000000000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": {
                        /** @description The agent as it is after the request. */
                        agent: components["schemas"]["Agent"];
                        /** @description The agent key: `ak_` and 64 hexadecimal characters. It is shown once and cannot be read again. */
                        agent_key: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExecutionCoverage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "partial",
                     *       "attested": {
                     *         "mode": "partial",
                     *         "tools": [
                     *           "mcp:files/read"
                     *         ],
                     *         "mediation_points": [
                     *           "mcp"
                     *         ],
                     *         "edge_version": "0.1.0",
                     *         "attested_at": "2026-03-02T08:00:00.000Z"
                     *       },
                     *       "observed": {
                     *         "window_start": "2026-03-02T08:00:00.000Z",
                     *         "window_end": "2026-03-02T08:05:00.000Z",
                     *         "actions_seen": 12,
                     *         "actions_mediated": 12,
                     *         "unmediated_seen": 0,
                     *         "reported_at": "2026-03-02T08:05:01.000Z"
                     *       },
                     *       "findings": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000091",
                     *           "agent_id": "01980000-0000-7000-8000-000000000031",
                     *           "type": "coverage_gap",
                     *           "severity": "medium",
                     *           "status": "open",
                     *           "evidence": {
                     *             "attested": {
                     *               "mode": "partial",
                     *               "attested_at": "2026-03-02T08:00:00.000Z"
                     *             }
                     *           },
                     *           "remediation": "Route everything the agent does through the edge's mediation points.",
                     *           "opened_at": "2026-03-02T08:00:00.000Z",
                     *           "closed_at": null
                     *         }
                     *       ],
                     *       "computed_at": "2026-03-02T08:06:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ExecutionCoverage"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReviews: {
        parameters: {
            query?: {
                /** @description Only reviews of this agent. */
                agent_id?: string;
                /** @description Only reviews with this status. */
                status?: "pending" | "approved" | "rejected" | "attested" | "superseded";
                /** @description Only reviews of this kind. */
                kind?: "onboarding" | "change" | "attestation";
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000081",
                     *           "agent_id": "01980000-0000-7000-8000-000000000031",
                     *           "kind": "attestation",
                     *           "status": "pending",
                     *           "assigned_role": "manager",
                     *           "requested_by": "01980000-0000-7000-8000-000000000012",
                     *           "opened_at": "2026-03-01T10:00:00.000Z",
                     *           "resolved_by": null,
                     *           "resolved_at": null,
                     *           "comment": null
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["Review"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review. */
                review_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000081",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "kind": "attestation",
                     *       "status": "pending",
                     *       "assigned_role": "manager",
                     *       "requested_by": "01980000-0000-7000-8000-000000000012",
                     *       "opened_at": "2026-03-01T10:00:00.000Z",
                     *       "resolved_by": null,
                     *       "resolved_at": null,
                     *       "comment": null
                     *     }
                     */
                    "application/json": components["schemas"]["Review"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resolveReview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review. */
                review_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcome": "approved",
                 *       "comment": "The policy fits the task."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `approved` and `attested` set the approval of record, `rejected` blocks the agent.
                     * @enum {string}
                     */
                    outcome: "approved" | "rejected" | "attested";
                    /** @description Why, 1 to 2,000 characters. */
                    comment: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000081",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "kind": "onboarding",
                     *       "status": "approved",
                     *       "assigned_role": "manager",
                     *       "requested_by": "01980000-0000-7000-8000-000000000012",
                     *       "opened_at": "2026-03-01T10:00:00.000Z",
                     *       "resolved_by": "01980000-0000-7000-8000-000000000011",
                     *       "resolved_at": "2026-03-01T11:00:00.000Z",
                     *       "comment": "The policy fits the task."
                     *     }
                     */
                    "application/json": components["schemas"]["Review"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openReview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "attestation"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Always `attestation`. The service opens the other kinds itself.
                     * @enum {string}
                     */
                    kind: "attestation";
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-000000000081",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "kind": "attestation",
                     *       "status": "pending",
                     *       "assigned_role": "manager",
                     *       "requested_by": "01980000-0000-7000-8000-000000000012",
                     *       "opened_at": "2026-03-01T10:00:00.000Z",
                     *       "resolved_by": null,
                     *       "resolved_at": null,
                     *       "comment": null
                     *     }
                     */
                    "application/json": components["schemas"]["Review"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listFindings: {
        parameters: {
            query?: {
                /** @description Only findings of this agent. */
                agent_id?: string;
                /** @description Only findings of this type. */
                type?: "policy_drift_unapproved" | "coverage_gap" | "evidence_stale" | "unapproved_running" | "approval_without_record";
                /** @description Only findings with this status. */
                status?: "open" | "closed";
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000091",
                     *           "agent_id": "01980000-0000-7000-8000-000000000031",
                     *           "type": "coverage_gap",
                     *           "severity": "medium",
                     *           "status": "open",
                     *           "evidence": {
                     *             "attested": {
                     *               "mode": "partial",
                     *               "attested_at": "2026-03-02T08:00:00.000Z"
                     *             }
                     *           },
                     *           "remediation": "Route everything the agent does through the edge's mediation points.",
                     *           "opened_at": "2026-03-02T08:00:00.000Z",
                     *           "closed_at": null
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["Finding"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description Only approvals with this status. */
                status?: "pending" | "approved" | "rejected" | "expired" | "consumed";
                /** @description Only approvals of this agent. */
                agent_id?: string;
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-0000000000a1",
                     *           "agent_id": "01980000-0000-7000-8000-000000000031",
                     *           "tool": "mcp:files/delete",
                     *           "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *           "arguments": {
                     *             "path": "/tmp/invoice.pdf",
                     *             "options": {
                     *               "deep": [
                     *                 1,
                     *                 "x",
                     *                 null
                     *               ]
                     *             }
                     *           },
                     *           "policy_id": "01980000-0000-7000-8000-000000000041",
                     *           "policy_version": 3,
                     *           "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *           "rule_id": "01980000-0000-7000-8000-000000000051",
                     *           "rule_name": "Ask before deleting",
                     *           "reason": "Deleting needs an approval.",
                     *           "agent_name": "Invoice reader",
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "status": "pending",
                     *           "assigned_role": "manager",
                     *           "requested_at": "2026-03-02T08:00:00.000Z",
                     *           "expires_at": "2026-03-02T08:15:00.000Z",
                     *           "resolved_by": null,
                     *           "resolved_at": null,
                     *           "comment": null,
                     *           "consumed_at": null
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["Approval"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the approval. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000a1",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "tool": "mcp:files/delete",
                     *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "arguments": {
                     *         "path": "/tmp/invoice.pdf",
                     *         "options": {
                     *           "deep": [
                     *             1,
                     *             "x",
                     *             null
                     *           ]
                     *         }
                     *       },
                     *       "policy_id": "01980000-0000-7000-8000-000000000041",
                     *       "policy_version": 3,
                     *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "rule_id": "01980000-0000-7000-8000-000000000051",
                     *       "rule_name": "Ask before deleting",
                     *       "reason": "Deleting needs an approval.",
                     *       "agent_name": "Invoice reader",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "status": "pending",
                     *       "assigned_role": "manager",
                     *       "requested_at": "2026-03-02T08:00:00.000Z",
                     *       "expires_at": "2026-03-02T08:15:00.000Z",
                     *       "resolved_by": null,
                     *       "resolved_at": null,
                     *       "comment": null,
                     *       "consumed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resolveApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the approval. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcome": "approved",
                 *       "comment": "Go ahead."
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `approved` lets the call pass once. `rejected` refuses it.
                     * @enum {string}
                     */
                    outcome: "approved" | "rejected";
                    /** @description Why, at most 2,000 characters. */
                    comment?: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000a1",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "tool": "mcp:files/delete",
                     *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "arguments": {
                     *         "path": "/tmp/invoice.pdf",
                     *         "options": {
                     *           "deep": [
                     *             1,
                     *             "x",
                     *             null
                     *           ]
                     *         }
                     *       },
                     *       "policy_id": "01980000-0000-7000-8000-000000000041",
                     *       "policy_version": 3,
                     *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "rule_id": "01980000-0000-7000-8000-000000000051",
                     *       "rule_name": "Ask before deleting",
                     *       "reason": "Deleting needs an approval.",
                     *       "agent_name": "Invoice reader",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "status": "approved",
                     *       "assigned_role": "manager",
                     *       "requested_at": "2026-03-02T08:00:00.000Z",
                     *       "expires_at": "2026-03-02T08:15:00.000Z",
                     *       "resolved_by": "01980000-0000-7000-8000-000000000012",
                     *       "resolved_at": "2026-03-02T08:02:00.000Z",
                     *       "comment": "Go ahead.",
                     *       "consumed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    requestApproval: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "approval_id": "01980000-0000-7000-8000-0000000000a1",
                 *       "agent_id": "01980000-0000-7000-8000-000000000031",
                 *       "tool": "mcp:files/delete",
                 *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 *       "arguments": {
                 *         "path": "/tmp/invoice.pdf",
                 *         "options": {
                 *           "deep": [
                 *             1,
                 *             "x",
                 *             null
                 *           ]
                 *         }
                 *       },
                 *       "policy_id": "01980000-0000-7000-8000-000000000041",
                 *       "policy_version": 3,
                 *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 *       "rule_id": "01980000-0000-7000-8000-000000000051",
                 *       "rule_name": "Ask before deleting",
                 *       "reason": "Deleting needs an approval."
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalRequest"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000a1",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "tool": "mcp:files/delete",
                     *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "arguments": {
                     *         "path": "/tmp/invoice.pdf",
                     *         "options": {
                     *           "deep": [
                     *             1,
                     *             "x",
                     *             null
                     *           ]
                     *         }
                     *       },
                     *       "policy_id": "01980000-0000-7000-8000-000000000041",
                     *       "policy_version": 3,
                     *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "rule_id": "01980000-0000-7000-8000-000000000051",
                     *       "rule_name": "Ask before deleting",
                     *       "reason": "Deleting needs an approval.",
                     *       "agent_name": "Invoice reader",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "status": "pending",
                     *       "assigned_role": "manager",
                     *       "requested_at": "2026-03-02T08:00:00.000Z",
                     *       "expires_at": "2026-03-02T08:15:00.000Z",
                     *       "resolved_by": null,
                     *       "resolved_at": null,
                     *       "comment": null,
                     *       "consumed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHeldCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the approval. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000a1",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "tool": "mcp:files/delete",
                     *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "arguments": {
                     *         "path": "/tmp/invoice.pdf",
                     *         "options": {
                     *           "deep": [
                     *             1,
                     *             "x",
                     *             null
                     *           ]
                     *         }
                     *       },
                     *       "policy_id": "01980000-0000-7000-8000-000000000041",
                     *       "policy_version": 3,
                     *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "rule_id": "01980000-0000-7000-8000-000000000051",
                     *       "rule_name": "Ask before deleting",
                     *       "reason": "Deleting needs an approval.",
                     *       "agent_name": "Invoice reader",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "status": "approved",
                     *       "assigned_role": "manager",
                     *       "requested_at": "2026-03-02T08:00:00.000Z",
                     *       "expires_at": "2026-03-02T08:15:00.000Z",
                     *       "resolved_by": "01980000-0000-7000-8000-000000000012",
                     *       "resolved_at": "2026-03-02T08:02:00.000Z",
                     *       "comment": "Go ahead.",
                     *       "consumed_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    consumeApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the approval. */
                approval_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 *       "policy_version": 3,
                 *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 *     }
                 */
                "application/json": {
                    /** @description Digest of the call, which must be the one that was approved. */
                    args_digest: string;
                    /** @description Policy version that the edge runs, which must be the one that asked. */
                    policy_version: number;
                    /** @description Content hash of that version. */
                    policy_hash: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000a1",
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "tool": "mcp:files/delete",
                     *       "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "arguments": {
                     *         "path": "/tmp/invoice.pdf",
                     *         "options": {
                     *           "deep": [
                     *             1,
                     *             "x",
                     *             null
                     *           ]
                     *         }
                     *       },
                     *       "policy_id": "01980000-0000-7000-8000-000000000041",
                     *       "policy_version": 3,
                     *       "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "rule_id": "01980000-0000-7000-8000-000000000051",
                     *       "rule_name": "Ask before deleting",
                     *       "reason": "Deleting needs an approval.",
                     *       "agent_name": "Invoice reader",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "status": "consumed",
                     *       "assigned_role": "manager",
                     *       "requested_at": "2026-03-02T08:00:00.000Z",
                     *       "expires_at": "2026-03-02T08:15:00.000Z",
                     *       "resolved_by": "01980000-0000-7000-8000-000000000012",
                     *       "resolved_at": "2026-03-02T08:02:00.000Z",
                     *       "comment": "Go ahead.",
                     *       "consumed_at": "2026-03-02T08:03:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openApprovalPage: {
        parameters: {
            query?: {
                /** @description Token of the approval link. Without it the answer is 410. */
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Used or expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                    "text/html": string;
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                    "text/html": string;
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
        };
    };
    resolveByLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "the token of the link",
                 *       "outcome": "approved",
                 *       "comment": "Go ahead."
                 *     }
                 */
                "application/x-www-form-urlencoded": {
                    /**
                     * @description `approved` lets the call pass once. `rejected` refuses it.
                     * @enum {string}
                     */
                    outcome: "approved" | "rejected";
                    /** @description Why, at most 2,000 characters. */
                    comment?: string;
                    /** @description Token of the approval link. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Used or expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description The body is larger than 16 KiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                    "text/html": string;
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                    "text/html": string;
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                    "text/html": string;
                };
            };
        };
    };
    listEdges: {
        parameters: {
            query?: {
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000071",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "name": "Gateway of the development cluster",
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "key_prefix": "ek_0a1b2",
                     *           "created_by": "01980000-0000-7000-8000-000000000012",
                     *           "created_at": "2026-02-01T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["Edge"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createEdge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Gateway of the development cluster",
                 *       "environment_id": "01980000-0000-7000-8000-000000000022"
                 *     }
                 */
                "application/json": {
                    /** @description Name of the edge, trimmed, 1 to 200 characters. */
                    name: string;
                    /**
                     * Format: uuid
                     * @description Environment whose agents the edge serves.
                     */
                    environment_id: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "edge": {
                     *         "id": "01980000-0000-7000-8000-000000000071",
                     *         "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *         "name": "Gateway of the development cluster",
                     *         "environment_id": "01980000-0000-7000-8000-000000000022",
                     *         "key_prefix": "ek_0a1b2",
                     *         "created_by": "01980000-0000-7000-8000-000000000012",
                     *         "created_at": "2026-02-01T09:00:00.000Z"
                     *       },
                     *       "edge_key": "ek_0a1b200000000000000000000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": {
                        /** @description The new edge credential. */
                        edge: components["schemas"]["Edge"];
                        /** @description The edge key: `ek_` and 64 hexadecimal characters. It is shown once; only its hash is stored. */
                        edge_key: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeEdge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the edge credential. */
                edge_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEdgeSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "credential": "edge",
                     *       "agent": null,
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EdgeSession"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    sendHeartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "instance_id": "edge-1",
                 *       "seq": 1,
                 *       "edge_version": "0.1.0",
                 *       "agents": [
                 *         {
                 *           "agent_id": "01980000-0000-7000-8000-000000000031",
                 *           "policy_id": "01980000-0000-7000-8000-000000000041",
                 *           "policy_version": 3,
                 *           "policy_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Name of the running edge, stable until it stops. At most 200 characters. */
                    instance_id: string;
                    /** @description Number of the heartbeat, which grows with each heartbeat of the instance. */
                    seq: number;
                    /** @description Version of the edge, at most 100 characters. */
                    edge_version: string;
                    /** @description Agents that the edge runs, at most 5,000. */
                    agents: {
                        /**
                         * Format: uuid
                         * @description Id of the agent.
                         */
                        agent_id: string;
                        /**
                         * Format: uuid
                         * @description Policy that the edge enforces for the agent. Left out if it has none.
                         */
                        policy_id?: string;
                        /** @description Version of that policy. */
                        policy_version?: number;
                        /** @description Content hash of that version, as 64 lower-case hexadecimal characters. */
                        policy_hash?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "interval_s": 30,
                     *       "agents": [
                     *         {
                     *           "agent_id": "01980000-0000-7000-8000-000000000031",
                     *           "profile_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *           "policy_id": "01980000-0000-7000-8000-000000000041",
                     *           "policy_version": 3
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Seconds until the next heartbeat. */
                        interval_s: number;
                        /** @description Agents of the heartbeat that the credential serves. */
                        agents: {
                            /**
                             * Format: uuid
                             * @description Id of the agent.
                             */
                            agent_id: string;
                            /** @description Hash of the mission profile that the agent should have. Fetch the profile if the edge has another one. */
                            profile_hash: string;
                            /** @description Policy of that profile. Null if the profile denies every call. */
                            policy_id: string | null;
                            /** @description Version of that policy. Null if the profile denies every call. */
                            policy_version: number | null;
                        }[];
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMissionProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the answer that the caller has. 304 without a body if it is still current. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Id of the agent. */
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "agent_name": "Invoice reader",
                     *       "status": "active",
                     *       "environment": {
                     *         "id": "01980000-0000-7000-8000-000000000022",
                     *         "name": "Development",
                     *         "slug": "development"
                     *       },
                     *       "governance_mode": "enforce",
                     *       "policy_id": "01980000-0000-7000-8000-000000000041",
                     *       "policy_version": 3,
                     *       "policy": {
                     *         "default_effect": "deny",
                     *         "rules": []
                     *       },
                     *       "profile_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     *       "profile_seq": 7,
                     *       "issued_at": "2026-03-02T08:00:00.000Z",
                     *       "signature": "an Ed25519 signature in base64"
                     *     }
                     */
                    "application/json": components["schemas"]["MissionProfile"];
                };
            };
            /** @description The caller’s copy is still current */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kid": "the id of the key",
                     *           "public_key_pem": "-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----\n"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    attest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_id": "01980000-0000-7000-8000-000000000031",
                 *       "mode": "full",
                 *       "tools": [
                 *         "mcp:files/read"
                 *       ],
                 *       "mediation_points": [
                 *         "mcp"
                 *       ],
                 *       "edge_version": "0.1.0"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the agent.
                     */
                    agent_id: string;
                    /**
                     * @description How much the runtime claims to mediate: `full`, `partial` or `none`.
                     * @enum {string}
                     */
                    mode: "full" | "partial" | "none";
                    /** @description Tools that the agent can reach, at most 1,000. */
                    tools: string[];
                    /** @description Where calls pass the edge, such as `mcp`. At most 200. */
                    mediation_points: string[];
                    /** @description Version of the edge, at most 100 characters. */
                    edge_version: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "agent_id": "01980000-0000-7000-8000-000000000031",
                     *       "mode": "full",
                     *       "tools": [
                     *         "mcp:files/read"
                     *       ],
                     *       "mediation_points": [
                     *         "mcp"
                     *       ],
                     *       "edge_version": "0.1.0",
                     *       "attested_at": "2026-03-02T08:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description Id of the agent.
                         */
                        agent_id: string;
                        /**
                         * @description How much the runtime claims to mediate: `full`, `partial` or `none`.
                         * @enum {string}
                         */
                        mode: "full" | "partial" | "none";
                        /** @description Tools that the agent can reach, at most 1,000. */
                        tools: string[];
                        /** @description Where calls pass the edge, such as `mcp`. At most 200. */
                        mediation_points: string[];
                        /** @description Version of the edge, at most 100 characters. */
                        edge_version: string;
                        /**
                         * Format: date-time
                         * @description When the attestation arrived.
                         */
                        attested_at: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reportExecutionStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent_id": "01980000-0000-7000-8000-000000000031",
                 *       "window_start": "2026-01-01T00:00:00.000Z",
                 *       "window_end": "2026-01-01T00:05:00.000Z",
                 *       "actions_seen": 3,
                 *       "actions_mediated": 2,
                 *       "unmediated_seen": 1,
                 *       "by_effect": {
                 *         "allow": 1,
                 *         "deny": 1,
                 *         "require_approval": 0
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Id of the agent.
                     */
                    agent_id: string;
                    /**
                     * Format: date-time
                     * @description Start of the reporting window.
                     */
                    window_start: string;
                    /**
                     * Format: date-time
                     * @description End of the reporting window. It must be after `window_start` and not in the future.
                     */
                    window_end: string;
                    /** @description Number of actions of the agent that the edge saw in the window. */
                    actions_seen: number;
                    /** @description Number of the seen actions that passed the edge. At most `actions_seen`. */
                    actions_mediated: number;
                    /** @description Number of actions that the edge knows of and that did not pass it. */
                    unmediated_seen: number;
                    /** @description Number of decisions by effect in the window. */
                    by_effect?: {
                        /** @description Number of calls that were allowed. */
                        allow?: number;
                        /** @description Number of calls that were denied. */
                        deny?: number;
                        /** @description Number of calls that needed an approval. */
                        require_approval?: number;
                    };
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    recordDecisions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decisions": [
                 *         {
                 *           "decision_id": "01980000-0000-7000-8000-000000000111",
                 *           "agent_id": "01980000-0000-7000-8000-000000000031",
                 *           "tool": "mcp:files/delete",
                 *           "effect": "deny",
                 *           "mode": "enforce",
                 *           "rule_id": "01980000-0000-7000-8000-000000000051",
                 *           "policy_version": 3,
                 *           "args_digest": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 *           "at": "2026-01-01T00:00:00.000Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Decisions to record, at most 1,000. */
                    decisions: {
                        /**
                         * Format: uuid
                         * @description Id of the decision, chosen by the edge. A second record with the same id is a duplicate.
                         */
                        decision_id: string;
                        /**
                         * Format: uuid
                         * @description Id of the agent.
                         */
                        agent_id: string;
                        /** @description Tool of the call, 1 to 300 characters. */
                        tool: string;
                        /**
                         * @description What was decided.
                         * @enum {string}
                         */
                        effect: "allow" | "deny" | "require_approval";
                        /**
                         * @description `enforce`: the effect was enforced. `monitor`: the call passed and the effect was recorded.
                         * @enum {string}
                         */
                        mode: "enforce" | "monitor";
                        /**
                         * Format: uuid
                         * @description Rule that decided. Left out if it was the default effect.
                         */
                        rule_id?: string;
                        /** @description Policy version that decided. Null if the edge had no policy. */
                        policy_version: number | null;
                        /** @description Digest of the arguments. The arguments themselves stay at the edge. */
                        args_digest: string;
                        /**
                         * Format: date-time
                         * @description When the edge decided.
                         */
                        at: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": 1,
                     *       "duplicates": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Number of decisions that were stored. */
                        accepted: number;
                        /** @description Number of decisions that were stored before. */
                        duplicates: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPlatforms: {
        parameters: {
            query?: {
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-0000000000b1",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "kind": "github",
                     *           "name": "Engines on GitHub",
                     *           "config": {
                     *             "organization": "engines",
                     *             "base_url": "https://github.example.com/api/v3"
                     *           },
                     *           "has_auth_secret": true,
                     *           "last_sync_status": "succeeded",
                     *           "last_sync_at": "2026-03-02T06:00:00.000Z",
                     *           "last_error": null,
                     *           "created_at": "2026-02-12T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["ConnectedPlatform"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    connectPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "github",
                 *       "name": "Engines on GitHub",
                 *       "config": {
                 *         "organization": "engines",
                 *         "base_url": "https://github.example.com/api/v3"
                 *       },
                 *       "auth_secret": "github-token"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Kind of the external service.
                     * @enum {string}
                     */
                    kind: "github" | "salesforce" | "m365" | "snowflake";
                    /** @description Name of the connection, trimmed, 1 to 200 characters. */
                    name: string;
                    /** @description Settings of the connection, at most 20. Every reader sees them. For `github`: `organization`, and `base_url` of the REST API unless it is github.com. */
                    config?: {
                        [key: string]: string;
                    };
                    /** @description Token that Mandate uses at the platform, at most 10,000 characters. It is stored encrypted and never returned. */
                    auth_secret?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000b1",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "kind": "github",
                     *       "name": "Engines on GitHub",
                     *       "config": {
                     *         "organization": "engines",
                     *         "base_url": "https://github.example.com/api/v3"
                     *       },
                     *       "has_auth_secret": true,
                     *       "last_sync_status": null,
                     *       "last_sync_at": null,
                     *       "last_error": null,
                     *       "created_at": "2026-02-12T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectedPlatform"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    disconnectPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the connected platform. */
                platform_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    syncPlatform: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the connected platform. */
                platform_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000b1",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "kind": "github",
                     *       "name": "Engines on GitHub",
                     *       "config": {
                     *         "organization": "engines",
                     *         "base_url": "https://github.example.com/api/v3"
                     *       },
                     *       "has_auth_secret": true,
                     *       "last_sync_status": "succeeded",
                     *       "last_sync_at": "2026-03-02T06:00:00.000Z",
                     *       "last_error": null,
                     *       "created_at": "2026-02-12T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConnectedPlatform"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The plan does not include this; codes: `plan_upgrade_required` */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] | components["schemas"]["PlanError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: {
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description How many rows of the list come before the page. A value below 0 counts as 0. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-0000000000c1",
                     *           "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "title": "Quarterly report",
                     *           "generated_by": "01980000-0000-7000-8000-000000000012",
                     *           "created_at": "2026-03-02T09:00:00.000Z",
                     *           "status": "ready",
                     *           "progress": 1
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "limit": 50,
                     *       "offset": 0
                     *     }
                     */
                    "application/json": {
                        /** @description Rows of this page. */
                        data: components["schemas"]["ReportSummary"][];
                        /** @description How many rows the list has. 10,000 means 10,000 or more. */
                        total: number;
                        /** @description How many rows the page has at most, as the server read `limit`. */
                        limit: number;
                        /** @description How many rows come before the page, as the server read `offset`. */
                        offset: number;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "environment_id": "01980000-0000-7000-8000-000000000022",
                 *       "title": "Quarterly report"
                 *     }
                 */
                "application/json": {
                    /** @description Environment to report on. Null or left out: the whole organization. A key that is bound to an environment reports on that one. */
                    environment_id?: string | null;
                    /** @description Title of the report, trimmed, 1 to 200 characters. Without it the title names the environment or the organization. */
                    title?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000c1",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "title": "Quarterly report",
                     *       "generated_by": "01980000-0000-7000-8000-000000000012",
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "status": "ready",
                     *       "progress": 1,
                     *       "share_links": [],
                     *       "snapshot": {
                     *         "organization": "Analytical Engines",
                     *         "environment": {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "name": "Development",
                     *           "slug": "development",
                     *           "is_production": false
                     *         },
                     *         "counts": {
                     *           "agents": 1,
                     *           "policies": 1,
                     *           "approvals": 1,
                     *           "drift": 1,
                     *           "coverage": {
                     *             "covered": 1
                     *           },
                     *           "findings": 1
                     *         },
                     *         "agents": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000031",
                     *             "name": "Invoice reader",
                     *             "status": "active",
                     *             "source": "runtime",
                     *             "governance_state": "governed",
                     *             "governance_mode": "enforce",
                     *             "lifecycle_status": "approved",
                     *             "environment_id": "01980000-0000-7000-8000-000000000022",
                     *             "policy": {
                     *               "id": "01980000-0000-7000-8000-000000000041",
                     *               "name": "Files",
                     *               "version": 3
                     *             },
                     *             "last_heartbeat_at": "2026-03-02T08:05:30.000Z"
                     *           }
                     *         ],
                     *         "policies": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000041",
                     *             "name": "Files",
                     *             "environment_id": "01980000-0000-7000-8000-000000000022",
                     *             "override_mode": "enforce",
                     *             "default_effect": "deny",
                     *             "version": 3,
                     *             "content_hash": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                     *             "rules": 1
                     *           }
                     *         ],
                     *         "approvals": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "lifecycle_status": "approved",
                     *             "approved": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 2,
                     *               "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *             },
                     *             "review": {
                     *               "id": "01980000-0000-7000-8000-000000000081",
                     *               "kind": "onboarding",
                     *               "status": "approved",
                     *               "resolved_at": "2026-02-02T10:00:00.000Z"
                     *             }
                     *           }
                     *         ],
                     *         "drift": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "approved": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 2,
                     *               "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *             },
                     *             "running": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 3,
                     *               "content_hash": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
                     *             }
                     *           }
                     *         ],
                     *         "coverage": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "state": "covered"
                     *           }
                     *         ],
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "type": "policy_drift_unapproved",
                     *             "severity": "medium",
                     *             "remediation": "Approve the change review, or restore the approved version from the policy's history.",
                     *             "opened_at": "2026-03-01T10:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the report. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000c1",
                     *       "tenant_id": "01980000-0000-7000-8000-000000000001",
                     *       "environment_id": "01980000-0000-7000-8000-000000000022",
                     *       "title": "Quarterly report",
                     *       "generated_by": "01980000-0000-7000-8000-000000000012",
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "status": "ready",
                     *       "progress": 1,
                     *       "share_links": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-0000000000d1",
                     *           "created_at": "2026-03-02T09:05:00.000Z",
                     *           "expires_at": "2999-01-01T00:00:00.000Z",
                     *           "revoked_at": null
                     *         }
                     *       ],
                     *       "snapshot": {
                     *         "organization": "Analytical Engines",
                     *         "environment": {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "name": "Development",
                     *           "slug": "development",
                     *           "is_production": false
                     *         },
                     *         "counts": {
                     *           "agents": 1,
                     *           "policies": 1,
                     *           "approvals": 1,
                     *           "drift": 1,
                     *           "coverage": {
                     *             "covered": 1
                     *           },
                     *           "findings": 1
                     *         },
                     *         "agents": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000031",
                     *             "name": "Invoice reader",
                     *             "status": "active",
                     *             "source": "runtime",
                     *             "governance_state": "governed",
                     *             "governance_mode": "enforce",
                     *             "lifecycle_status": "approved",
                     *             "environment_id": "01980000-0000-7000-8000-000000000022",
                     *             "policy": {
                     *               "id": "01980000-0000-7000-8000-000000000041",
                     *               "name": "Files",
                     *               "version": 3
                     *             },
                     *             "last_heartbeat_at": "2026-03-02T08:05:30.000Z"
                     *           }
                     *         ],
                     *         "policies": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000041",
                     *             "name": "Files",
                     *             "environment_id": "01980000-0000-7000-8000-000000000022",
                     *             "override_mode": "enforce",
                     *             "default_effect": "deny",
                     *             "version": 3,
                     *             "content_hash": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                     *             "rules": 1
                     *           }
                     *         ],
                     *         "approvals": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "lifecycle_status": "approved",
                     *             "approved": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 2,
                     *               "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *             },
                     *             "review": {
                     *               "id": "01980000-0000-7000-8000-000000000081",
                     *               "kind": "onboarding",
                     *               "status": "approved",
                     *               "resolved_at": "2026-02-02T10:00:00.000Z"
                     *             }
                     *           }
                     *         ],
                     *         "drift": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "approved": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 2,
                     *               "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *             },
                     *             "running": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 3,
                     *               "content_hash": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
                     *             }
                     *           }
                     *         ],
                     *         "coverage": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "state": "covered"
                     *           }
                     *         ],
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "type": "policy_drift_unapproved",
                     *             "severity": "medium",
                     *             "remediation": "Approve the change review, or restore the approved version from the policy's history.",
                     *             "opened_at": "2026-03-01T10:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Report"];
                    "text/html": string;
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the report. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    shareReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the report. */
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expires_at": "2999-01-01T00:00:00.000Z"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: date-time
                     * @description From this time the link is 404. It must be in the future. Without it the link does not expire.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01980000-0000-7000-8000-0000000000d1",
                     *       "url": "https://mandate.example.com/api/v1/shared/reports/the-token-of-the-link"
                     *     }
                     */
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description Id of the share link, to revoke it.
                         */
                        id: string;
                        /** @description Address of the shared report. It is shown once. */
                        url: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body has another content type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeShareLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the report. */
                report_id: string;
                /** @description Id of the share link. */
                link_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded; there is no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Not possible in the current state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSharedReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token of the share link, the last part of its address. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "title": "Quarterly report",
                     *       "created_at": "2026-03-02T09:00:00.000Z",
                     *       "snapshot": {
                     *         "organization": "Analytical Engines",
                     *         "environment": {
                     *           "id": "01980000-0000-7000-8000-000000000022",
                     *           "name": "Development",
                     *           "slug": "development",
                     *           "is_production": false
                     *         },
                     *         "counts": {
                     *           "agents": 1,
                     *           "policies": 1,
                     *           "approvals": 1,
                     *           "drift": 1,
                     *           "coverage": {
                     *             "covered": 1
                     *           },
                     *           "findings": 1
                     *         },
                     *         "agents": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000031",
                     *             "name": "Invoice reader",
                     *             "status": "active",
                     *             "source": "runtime",
                     *             "governance_state": "governed",
                     *             "governance_mode": "enforce",
                     *             "lifecycle_status": "approved",
                     *             "environment_id": "01980000-0000-7000-8000-000000000022",
                     *             "policy": {
                     *               "id": "01980000-0000-7000-8000-000000000041",
                     *               "name": "Files",
                     *               "version": 3
                     *             },
                     *             "last_heartbeat_at": "2026-03-02T08:05:30.000Z"
                     *           }
                     *         ],
                     *         "policies": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000041",
                     *             "name": "Files",
                     *             "environment_id": "01980000-0000-7000-8000-000000000022",
                     *             "override_mode": "enforce",
                     *             "default_effect": "deny",
                     *             "version": 3,
                     *             "content_hash": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
                     *             "rules": 1
                     *           }
                     *         ],
                     *         "approvals": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "lifecycle_status": "approved",
                     *             "approved": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 2,
                     *               "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *             },
                     *             "review": {
                     *               "id": "01980000-0000-7000-8000-000000000081",
                     *               "kind": "onboarding",
                     *               "status": "approved",
                     *               "resolved_at": "2026-02-02T10:00:00.000Z"
                     *             }
                     *           }
                     *         ],
                     *         "drift": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "approved": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 2,
                     *               "content_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *             },
                     *             "running": {
                     *               "policy_id": "01980000-0000-7000-8000-000000000041",
                     *               "version": 3,
                     *               "content_hash": "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
                     *             }
                     *           }
                     *         ],
                     *         "coverage": [
                     *           {
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "state": "covered"
                     *           }
                     *         ],
                     *         "findings": [
                     *           {
                     *             "id": "01980000-0000-7000-8000-000000000091",
                     *             "agent_id": "01980000-0000-7000-8000-000000000031",
                     *             "agent_name": "Invoice reader",
                     *             "type": "policy_drift_unapproved",
                     *             "severity": "medium",
                     *             "remediation": "Approve the change review, or restore the approved version from the policy's history.",
                     *             "opened_at": "2026-03-01T10:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SharedReport"];
                    "text/html": string;
                };
            };
            /** @description It does not exist, or the caller cannot see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description Only entries of this source. */
                source?: "control_plane" | "edge";
                /** @description Only entries of this event type, such as `api_key.created`. */
                event_type?: string;
                /** @description Only entries whose actor is this user. */
                actor_id?: string;
                /** @description Only entries about resources of this kind, such as `policy`. */
                resource_type?: string;
                /** @description Only entries about this resource. */
                resource_id?: string;
                /** @description Only entries about this agent. */
                agent_id?: string;
                /** @description Entries written at this time or later. */
                from?: string;
                /** @description Entries written before this time. */
                to?: string;
                /** @description How many rows the page has at most. A value above 200 counts as 200, a value below 1 as 1. */
                limit?: number;
                /** @description The `next_cursor` of the page before. Leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "01980000-0000-7000-8000-000000000101",
                     *           "source": "control_plane",
                     *           "event_type": "agent.lifecycle.changed",
                     *           "outcome": "success",
                     *           "actor": {
                     *             "type": "api_key",
                     *             "user_id": "01980000-0000-7000-8000-000000000012",
                     *             "name": "Ada Lovelace",
                     *             "email": "ada@example.com"
                     *           },
                     *           "api_key": {
                     *             "id": "01980000-0000-7000-8000-000000000061",
                     *             "prefix": "mk_0a1b2",
                     *             "name": "Deployment pipeline"
                     *           },
                     *           "resource": {
                     *             "type": "agent",
                     *             "id": "01980000-0000-7000-8000-000000000031",
                     *             "name": "Invoice reader"
                     *           },
                     *           "agent_id": "01980000-0000-7000-8000-000000000031",
                     *           "environment_id": "01980000-0000-7000-8000-000000000022",
                     *           "details": {
                     *             "previous_state": "proposed",
                     *             "new_state": "blocked",
                     *             "reason": "It deleted a table."
                     *           },
                     *           "request_id": "req-1",
                     *           "ip": "203.0.113.7",
                     *           "user_agent": "curl/8.9.0",
                     *           "created_at": "2026-03-02T08:30:00.000Z"
                     *         }
                     *       ],
                     *       "next_cursor": "the cursor of the next page"
                     *     }
                     */
                    "application/json": {
                        /** @description Entries of this page, newest first. */
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Send it as `cursor` to read the next page. Absent on the last page. */
                        next_cursor?: string;
                    };
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAuditEntries: {
        parameters: {
            query?: {
                /** @description Only entries of this source. */
                source?: "control_plane" | "edge";
                /** @description Only entries of this event type, such as `api_key.created`. */
                event_type?: string;
                /** @description Only entries whose actor is this user. */
                actor_id?: string;
                /** @description Only entries about resources of this kind, such as `policy`. */
                resource_type?: string;
                /** @description Only entries about this resource. */
                resource_id?: string;
                /** @description Only entries about this agent. */
                agent_id?: string;
                /** @description Entries written at this time or later. */
                from?: string;
                /** @description Entries written before this time. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    verifyAuditTrail: {
        parameters: {
            query?: {
                /** @description A head that was recorded earlier: its `seq`, a colon and its `chain_hash`. */
                through?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "valid": true,
                     *       "entries": 1280,
                     *       "head": {
                     *         "seq": 1280,
                     *         "chain_hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                     *       },
                     *       "pending": 0
                     *     }
                     */
                    "application/json": components["schemas"]["AuditVerdict"];
                };
            };
            /** @description A path id, a parameter or the body is not valid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description The caller may not do this; codes: `academy_only_account` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"] | components["schemas"]["CodedError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description Always `ok`: the process runs.
                         * @constant
                         */
                        status: "ok";
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description `ready`, or `degraded` if something is missing that requests can do without.
                         * @enum {string}
                         */
                        status: "ready" | "degraded";
                        /** @description What is missing, in words. Absent if nothing is. */
                        reasons?: string[];
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description No valid credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0",
                     *       "info": {
                     *         "title": "Mandate",
                     *         "version": "0.1.0"
                     *       },
                     *       "paths": {}
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDocsScript: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readHomePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readGettingStarted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readJoinPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readVerifyEmailPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readResetPasswordPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readForgotPasswordPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSignInPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readSignInCompletePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GateError"];
                };
            };
            /** @description A fault of the service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InternalError"];
                };
            };
            /** @description The server or its database is not available: try again. The request was applied completely or not at all */
            503: {
                headers: {
                    /** @description Number of seconds to wait before the next try. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}

/** Method and path of every operation. `absolute` paths are not under the base path. */
export const routes = {
  "register": {
    "method": "POST",
    "path": "/auth/register"
  },
  "signIn": {
    "method": "POST",
    "path": "/auth/sign-in"
  },
  "refresh": {
    "method": "POST",
    "path": "/auth/refresh"
  },
  "exchange": {
    "method": "POST",
    "path": "/auth/exchange"
  },
  "signOut": {
    "method": "POST",
    "path": "/auth/sign-out"
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
    "path": "/auth/providers"
  },
  "acceptInvitation": {
    "method": "POST",
    "path": "/auth/invitations/accept"
  },
  "previewInvitation": {
    "method": "POST",
    "path": "/auth/invitations/preview"
  },
  "forgotPassword": {
    "method": "POST",
    "path": "/auth/password/forgot"
  },
  "resetPassword": {
    "method": "POST",
    "path": "/auth/password/reset"
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
    "path": "/auth/google/start"
  },
  "finishGoogle": {
    "method": "GET",
    "path": "/auth/google/callback"
  },
  "startSaml": {
    "method": "GET",
    "path": "/auth/saml/{provider_id}/start"
  },
  "finishSaml": {
    "method": "POST",
    "path": "/auth/saml/{provider_id}/acs"
  },
  "getSamlMetadata": {
    "method": "GET",
    "path": "/auth/saml/{provider_id}/metadata"
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
  "listAgents": {
    "method": "GET",
    "path": "/agents"
  },
  "createAgent": {
    "method": "POST",
    "path": "/agents"
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
    "absolute": true
  },
  "resolveByLink": {
    "method": "POST",
    "path": "/approve",
    "absolute": true
  },
  "listEdges": {
    "method": "GET",
    "path": "/edges"
  },
  "createEdge": {
    "method": "POST",
    "path": "/edges"
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
    "path": "/edge/signing-key"
  },
  "attest": {
    "method": "POST",
    "path": "/edge/attestations"
  },
  "reportExecutionStats": {
    "method": "POST",
    "path": "/edge/execution-stats"
  },
  "recordDecisions": {
    "method": "POST",
    "path": "/edge/decisions"
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
    "path": "/shared/reports/{token}"
  },
  "listAuditEntries": {
    "method": "GET",
    "path": "/audit"
  },
  "exportAuditEntries": {
    "method": "GET",
    "path": "/audit/export"
  },
  "verifyAuditTrail": {
    "method": "GET",
    "path": "/audit/verify"
  },
  "checkHealth": {
    "method": "GET",
    "path": "/healthz",
    "absolute": true
  },
  "checkReadiness": {
    "method": "GET",
    "path": "/readyz",
    "absolute": true
  },
  "readMetrics": {
    "method": "GET",
    "path": "/metrics",
    "absolute": true
  },
  "readOpenApi": {
    "method": "GET",
    "path": "/openapi.json"
  },
  "readDocs": {
    "method": "GET",
    "path": "/docs",
    "absolute": true
  },
  "readDocsScript": {
    "method": "GET",
    "path": "/docs/script.js",
    "absolute": true
  },
  "readHomePage": {
    "method": "GET",
    "path": "/",
    "absolute": true
  },
  "readGettingStarted": {
    "method": "GET",
    "path": "/getting-started",
    "absolute": true
  },
  "readJoinPage": {
    "method": "GET",
    "path": "/join",
    "absolute": true
  },
  "readVerifyEmailPage": {
    "method": "GET",
    "path": "/verify-email",
    "absolute": true
  },
  "readResetPasswordPage": {
    "method": "GET",
    "path": "/reset-password",
    "absolute": true
  },
  "readForgotPasswordPage": {
    "method": "GET",
    "path": "/forgot-password",
    "absolute": true
  },
  "readSignInPage": {
    "method": "GET",
    "path": "/sign-in",
    "absolute": true
  },
  "readSignInCompletePage": {
    "method": "GET",
    "path": "/sign-in/complete",
    "absolute": true
  }
} as const
