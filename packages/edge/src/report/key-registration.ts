import { edgeEndpoints } from '@mandate/contract/edge'
import { edgeKeyAttestationBody } from '@mandate/proofs/decision-chain'
import type { Logger } from 'pino'
import type { ProfileKeys } from '../carry/signing-keys.ts'
import { type ControlPlane, ControlPlaneAway, ControlPlaneRefused } from '../control-plane/control-plane.ts'
import type { DecisionKey } from './decision-key.ts'

export interface RegistrationParts {
  plane: ControlPlane
  /** The signing keys of the control plane that the edge trusts. */
  trusted: Pick<ProfileKeys, 'signed'>
  log: Logger
}

/**
 * `registered`: the control plane verifies signatures of the key. `refused`: the control plane does not accept decisions that are
 * signed with this key, for example because the control plane is an earlier version.
 */
export type Registered = 'registered' | 'refused'

/** Registers keys that sign decisions. Sends only their public halves to the control plane. */
export class KeyRegistration {
  private readonly parts: RegistrationParts
  private readonly registered = new Set<string>()
  private lastRefusal: string | null = null

  constructor(parts: RegistrationParts) {
    this.parts = parts
  }

  /**
   * Registers a key, unless this object has registered it already. A key that the control plane knows stays as it is.
   * @throws ControlPlaneAway, also if the attestation of the control plane is not valid
   */
  async register({ kid, publicKeyPem }: DecisionKey, signal?: AbortSignal): Promise<Registered> {
    if (this.registered.has(kid)) return 'registered'
    const answer = await this.ask(publicKeyPem, signal)
    if (answer === null) return 'refused'
    const attested = edgeKeyAttestationBody({ ...answer, kid, public_key_pem: publicKeyPem })
    if (answer.kid !== kid || !(await this.parts.trusted.signed({ ...attested, signature: answer.attestation })))
      throw new ControlPlaneAway('the attestation of the key that signs decisions is not valid')
    this.lastRefusal = null
    // Several senders may ask for the same key at once.
    if (this.registered.has(kid)) return 'registered'
    this.registered.add(kid)
    this.parts.log.info({ kid }, 'the control plane knows the key that signs decisions')
    return 'registered'
  }

  /** Call this if the control plane no longer knows a key, for example because the control plane was restored from a backup. */
  forget(kid: string): void {
    this.registered.delete(kid)
  }

  /** Returns null if the control plane refuses the key. */
  private async ask(public_key_pem: string, signal: AbortSignal | undefined) {
    try {
      const asked = { method: 'POST', path: '/edge/keys', body: { public_key_pem }, signal } as const
      const { data } = edgeEndpoints.createEdgeKey.answers[201].safeParse((await this.parts.plane.ask(asked)).body)
      if (!data) throw new ControlPlaneAway('the control plane sent an invalid response to the registration of a key')
      return data
    } catch (error) {
      if (!(error instanceof ControlPlaneRefused)) throw error
      // The control plane refused the credential of the edge, not the key. The credential may be renewed.
      if (error.status === 401 || error.status === 403) throw new ControlPlaneAway(error.message)
      this.tellRefusal(error)
      return null
    }
  }

  private tellRefusal({ status, message }: ControlPlaneRefused): void {
    if (message === this.lastRefusal) return
    this.lastRefusal = message
    if (status === 404)
      this.parts.log.info(
        'the control plane is an earlier version without signed decisions; decisions are sent unsigned',
      )
    else
      this.parts.log.error(
        { reason: message },
        'the control plane refuses the key that signs decisions; decisions are sent unsigned',
      )
  }
}
