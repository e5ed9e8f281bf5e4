import type { Ctx } from '../../../caller/ctx.ts'
import { Reply } from '../../../http/route.ts'
import { newDeviceSecret, readDeviceCookie, writeDeviceCookie } from './device-cookie.ts'

/**
 * Runs `work`, a function that signs in a browser. `work` gets the secret of the browser's device cookie in `device` and in
 * `known`. If the browser has no device cookie, `device` is a new secret and `known` is undefined. If `work` succeeds, the
 * response sets the device cookie, and also the cookies in `cookies`.
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
