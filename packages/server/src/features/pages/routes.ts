import { endpoints } from '@mandate/contract/endpoints'
import { htmlType } from '../../http/answers/html.ts'
import { Content, on, type Route } from '../../http/routes/route.ts'
import { gettingStartedHeaders, gettingStartedPage } from './getting-started.ts'

export const pageRoutes: readonly Route[] = [
  on(
    endpoints.readGettingStarted,
    async ({ services: { config } }) =>
      new Content(gettingStartedPage(config.publicUrl), htmlType, { headers: gettingStartedHeaders }),
  ),
]
