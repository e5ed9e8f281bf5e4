import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/base.css'
import './styles/tokens.css'
import './styles/print.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { router } from './router.ts'
import { keepFocus } from './shell/frame/keep-focus.ts'
import { WaitNotice } from './shell/frame/wait-notice.tsx'
import { Toasts } from './ui/dialogs/toast.tsx'
import { watchActs } from './ui/page/new-page-focus.ts'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no element with the id root')
keepFocus()
watchActs(router)
createRoot(root).render(
  <StrictMode>
    <I18nProvider locale="en">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
        <WaitNotice />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
