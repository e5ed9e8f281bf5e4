import { addressKey } from '@mandate/contract/fields/address-key'
import { z } from 'zod'
import { IdentityFailure } from '../failure.ts'
import { normalizePassword } from '../password-policy.ts'
import type { Credentials, SignInResult } from '../port.ts'
import type { IdentityPlatformProject } from './admin.ts'

const TIMEOUT_MS = 10_000

/**
 * Error codes of the platform that mean wrong credentials. All other codes are errors of the platform or the server.
 */
const PERSON_ERRORS = new Set([
  'EMAIL_NOT_FOUND',
  'INVALID_EMAIL',
  'INVALID_LOGIN_CREDENTIALS',
  'INVALID_PASSWORD',
  'MISSING_EMAIL',
  'MISSING_PASSWORD',
  'USER_DISABLED',
  'CODE_EXPIRED',
  'INVALID_CODE',
  'INVALID_MFA_PENDING_CREDENTIAL',
  'INVALID_VERIFICATION_CODE',
  'MFA_ENROLLMENT_NOT_FOUND',
])

const signedIn = z.object({
  localId: z.string(),
  mfaPendingCredential: z.string().optional(),
  mfaInfo: z.array(z.object({ mfaEnrollmentId: z.string(), totpInfo: z.unknown().optional() })).optional(),
})

/**
 * Signs in with a password. Uses the REST endpoint of the platform, because the SDK has no function for this. Then checks a
 * TOTP code. A person whose second factors are all of another kind gets `mfa_required` and cannot sign in here. Throws
 * IdentityFailure `throttled` or `unavailable`.
 */
export async function verifyPassword(
  project: IdentityPlatformProject,
  { email, password, otp }: Credentials,
): Promise<SignInResult> {
  const invalid: SignInResult = { ok: false, reason: 'invalid' }
  const answer = await post(project, 'v1/accounts:signInWithPassword', {
    email: addressKey(email),
    password: normalizePassword(password),
    returnSecureToken: true,
  })
  if (answer === null) return invalid
  const read = signedIn.safeParse(answer)
  if (!read.success) throw new IdentityFailure('unavailable', 'Identity Platform: the response could not be parsed')
  const { localId, mfaPendingCredential, mfaInfo } = read.data
  if (!mfaPendingCredential) return { ok: true, accountId: localId }
  if (otp === undefined) return { ok: false, reason: 'mfa_required' }
  const factor = mfaInfo?.find(({ totpInfo }) => totpInfo !== undefined)
  const code = otp.replace(/\s/g, '')
  if (!factor || !/^[0-9]{6}$/.test(code)) return invalid
  const confirmed = await post(project, 'v2/accounts/mfaSignIn:finalize', {
    mfaPendingCredential,
    mfaEnrollmentId: factor.mfaEnrollmentId,
    totpVerificationInfo: { verificationCode: code },
  })
  return confirmed === null ? invalid : { ok: true, accountId: localId }
}

/** Sends a request to the platform. Returns null if the platform reports wrong credentials. */
async function post(project: IdentityPlatformProject, path: string, body: object): Promise<unknown> {
  const { apiKey, emulatorHost } = project
  const origin = emulatorHost
    ? `http://${emulatorHost}/identitytoolkit.googleapis.com`
    : 'https://identitytoolkit.googleapis.com'
  const response = await fetch(`${origin}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': apiKey },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new IdentityFailure('unavailable', 'Identity Platform did not answer the request', { cause })
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  // The error code may be followed by " : " and a text.
  const code = String(answer?.error?.message ?? '').split(' ')[0] as string
  if (PERSON_ERRORS.has(code)) return null
  const kind = code === 'TOO_MANY_ATTEMPTS_TRY_LATER' ? 'throttled' : 'unavailable'
  throw new IdentityFailure(kind, `Identity Platform: ${response.status} ${code}`)
}
