import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { basePath } from './api/server-url.ts'
import { agentRoute } from './pages/agent/route.ts'
import { agentsRoute } from './pages/agents/route.ts'
import { approvalsRoute } from './pages/approvals/route.ts'
import { auditRoute } from './pages/audit/route.ts'
import { contentPatternsRoute } from './pages/content-patterns/route.ts'
import { credentialsRoute } from './pages/credentials/route.ts'
import { decisionRoute } from './pages/decision/route.ts'
import { decisionsRoute } from './pages/decisions/route.ts'
import { edgeRoute } from './pages/edge/route.ts'
import { edgesRoute } from './pages/edges/route.ts'
import { environmentsRoute } from './pages/environments/route.ts'
import { findingsRoute } from './pages/findings/route.ts'
import { forgotPasswordRoute } from './pages/forgot-password/route.ts'
import { freezeRoute } from './pages/freeze/route.ts'
import { freezesRoute } from './pages/freezes/route.ts'
import { helpRoute } from './pages/help/route.ts'
import { joinRoute } from './pages/join/route.ts'
import { keysRoute } from './pages/keys/route.ts'
import { modelsRoute } from './pages/models/route.ts'
import { overviewRoute } from './pages/overview/route.ts'
import { platformsRoute } from './pages/platforms/route.ts'
import { policiesRoute } from './pages/policies/route.ts'
import { policyRoute } from './pages/policy/route.ts'
import { registerRoute } from './pages/register/route.ts'
import { reportRoute } from './pages/report/route.ts'
import { reportsRoute } from './pages/reports/route.ts'
import { resetPasswordRoute } from './pages/reset-password/route.ts'
import { reviewRoute } from './pages/review/route.ts'
import { reviewsRoute } from './pages/reviews/route.ts'
import { settingsRoute } from './pages/settings/route.ts'
import { signInRoute } from './pages/sign-in/route.ts'
import { signInCompleteRoute } from './pages/sign-in-complete/route.ts'
import { teamRoute } from './pages/team/route.ts'
import { toolRoute } from './pages/tool/route.ts'
import { toolsRoute } from './pages/tools/route.ts'
import { verifyEmailRoute } from './pages/verify-email/route.ts'
import { insideRoute, rootRoute } from './routes.tsx'
import { waitForCode } from './shell/frame/load-pages.ts'
import { NoSuchPage, PageFailed } from './shell/frame/page-failed.tsx'

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** The name of the page in the breadcrumb. A page of one object shows it until the name of the object is known. */
    crumb?: string
  }
}

/** The pages for people who are not signed in. */
const doors = [
  signInRoute,
  signInCompleteRoute,
  registerRoute,
  joinRoute,
  verifyEmailRoute,
  forgotPasswordRoute,
  resetPasswordRoute,
]

/** The pages for people who are signed in. */
const pages = insideRoute.addChildren([
  overviewRoute,
  approvalsRoute,
  reviewsRoute,
  reviewRoute,
  findingsRoute,
  agentsRoute,
  agentRoute,
  edgesRoute,
  edgeRoute,
  toolsRoute,
  toolRoute,
  modelsRoute,
  environmentsRoute,
  platformsRoute,
  credentialsRoute,
  policiesRoute,
  policyRoute,
  contentPatternsRoute,
  decisionsRoute,
  decisionRoute,
  auditRoute,
  reportsRoute,
  reportRoute,
  freezesRoute,
  freezeRoute,
  teamRoute,
  keysRoute,
  settingsRoute,
  helpRoute,
])

/** All pages of the dashboard. Each page is a folder of `pages`, and loads its code when it opens. */
export const router = createRouter({
  basepath: basePath,
  routeTree: rootRoute.addChildren([...doors, pages]),
  // Parameters are texts, as in `?silent=true`. Otherwise the router writes such a text with quotes.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  // A page of another object begins without the dialogs and the texts of the one before, and takes the focus.
  defaultRemountDeps: ({ params }) => params,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NoSuchPage,
})
waitForCode(router.routesById)
