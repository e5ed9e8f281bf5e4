import type { Ctx } from '../../../caller/ctx.ts'
import { Reply } from '../../../http/route.ts'
import { newDeviceSecret, readDeviceCookie, writeDeviceCookie } from './device-cookie.ts'

/**
 * Runs a verb that signs a browser in, with the secret of its device cookie, or with a new secret; `known` is undefined then. Sets the
 * cookie, next to `cookies`, if the verb succeeds.
 */
export async function onDevice<T>(
  { services }: Pick<Ctx<null>, 'services'>,
  headers: Record<string, string | undefined>,
  work: (device: string, known: string | undefined) => Promise<T>,
  cookies: readonly string[] = [],
): Promise<Reply<T>> {
  const { publicUrl } = services.config
  const known = readDeviceCookie(publicUrl, headers.cookie)
  const device = known ?? newDeviceSecret()
  const answer = await work(device, known)
  return new Reply(answer, { headers: { 'set-cookie': [...cookies, writeDeviceCookie(publicUrl, device)] } })
}
