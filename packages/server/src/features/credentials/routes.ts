import { credentialEndpoints as endpoints } from '@mandate/contract/credentials'
import { refuseBadPlacement } from '../../caller/place-in-environment.ts'
import { on } from '../../http/routes/route.ts'
import { createCredential } from './create-credential.ts'
import { deleteCredential } from './delete-credential.ts'
import { getEdgeCredential } from './get-edge-credential.ts'
import { listCredentials } from './list-credentials.ts'
import { rotateCredential } from './rotate-credential.ts'
import { refuseUnknown, updateCredential } from './update-credential.ts'

export const credentialRoutes = [
  on(endpoints.listCredentials, (ctx, { query }) => listCredentials(ctx, query)),
  on(endpoints.createCredential, (ctx, { body }) => createCredential(ctx, body), {
    beforeBadBody: (ctx, _params, rawBody) => refuseBadPlacement(ctx, rawBody),
  }),
  on(endpoints.updateCredential, (ctx, { params, body }) => updateCredential(ctx, params.credential_id, body), {
    beforeBadBody: (ctx, params) => refuseUnknown(ctx, params.credential_id),
  }),
  on(endpoints.rotateCredential, (ctx, { params, body }) => rotateCredential(ctx, params.credential_id, body.secret), {
    beforeBadBody: (ctx, params) => refuseUnknown(ctx, params.credential_id),
  }),
  on(endpoints.deleteCredential, (ctx, { params, query }) =>
    deleteCredential(ctx, params.credential_id, query.force === true),
  ),
  on(endpoints.getEdgeCredential, (ctx, { params, query }) => getEdgeCredential(ctx, params.name, query.server ?? '')),
]
