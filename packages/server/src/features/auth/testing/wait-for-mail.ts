import { expect } from 'vitest'
import type { Mail } from '../../../mail/send-mail.ts'
import { mailsTo } from '../../../testing/mail-box.ts'
import type { TestServer } from '../../../testing/start-test-server.ts'

export async function mailsWithLink(server: TestServer, address: string, page: string): Promise<Mail[]> {
  return (await mailsTo(server, address)).filter(({ link }) => link?.includes(`/${page}?token=`))
}

/** Returns the subjects of the mails to an address that contain no link, oldest first. */
export async function announcements(server: TestServer, address: string): Promise<string[]> {
  return (await mailsTo(server, address)).filter(({ link }) => link === undefined).map(({ subject }) => subject)
}

export function tokenOf(mail: Mail | undefined): string {
  const token = mail?.link && new URL(mail.link).searchParams.get('token')
  expect(token).toBeTruthy()
  return token as string
}
