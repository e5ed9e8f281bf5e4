import { readFileSync } from 'node:fs'
import { endpoints } from '@mandate/contract/endpoints'
import { htmlType } from '../../http/html.ts'
import { Content, on, type Route } from '../../http/route.ts'
import {
  forgotPasswordPage,
  homePage,
  joinPage,
  type Page,
  resetPasswordPage,
  signInCompletePage,
  signInPage,
  verifyEmailPage,
} from './page-texts.ts'
import { headersOfPage, renderPage } from './render-page.ts'

const gettingStartedFile = new URL('../../../../../docs/getting-started.md', import.meta.url)

let gettingStarted: string | undefined

/**
 * Reads the guide for getting started. Removes its HTML comments, because they contain only commands for tests. The file is
 * read only once.
 */
function readGettingStarted(): string {
  gettingStarted ??= readFileSync(gettingStartedFile, 'utf8').replaceAll(/<!--[\s\S]*?-->\n/g, '')
  return gettingStarted
}

const pageOf = (page: (publicUrl: string) => Page, publicUrl: string) =>
  new Content(renderPage(page(publicUrl)), htmlType, { headers: headersOfPage })

export const pageRoutes: readonly Route[] = [
  on(endpoints.readHomePage, async ({ services }) => pageOf(homePage, services.config.publicUrl)),
  on(endpoints.readGettingStarted, async () => new Content(readGettingStarted(), 'text/plain; charset=utf-8')),
  on(endpoints.readJoinPage, async ({ services }) => pageOf(joinPage, services.config.publicUrl)),
  on(endpoints.readVerifyEmailPage, async ({ services }) => pageOf(verifyEmailPage, services.config.publicUrl)),
  on(endpoints.readResetPasswordPage, async ({ services }) => pageOf(resetPasswordPage, services.config.publicUrl)),
  on(endpoints.readForgotPasswordPage, async ({ services }) => pageOf(forgotPasswordPage, services.config.publicUrl)),
  on(endpoints.readSignInPage, async ({ services }) => pageOf(signInPage, services.config.publicUrl)),
  on(endpoints.readSignInCompletePage, async ({ services }) => pageOf(signInCompletePage, services.config.publicUrl)),
]
