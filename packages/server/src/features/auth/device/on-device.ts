import type { Ctx } from '../../../caller/ctx.ts'
import { Reply } from '../../../http/routes/route.ts'
import { newDeviceSecret, readDeviceCookie, writeDeviceCookie } from './device-cookie.ts'

/**
 * Runs `work`, a function that signs a person in. `known` is the secret in the browser's device cookie, or undefined without a
 * cookie. `device` is the same secret, or a new secret without a cookie. If `work` succeeds, the response sets the device
 * cookie and the cookies in `cookies`.
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
