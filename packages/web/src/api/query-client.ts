import { MandateError } from '@mandate/sdk'
import { QueryClient } from '@tanstack/react-query'

/** Holds everything that the dashboard knows about the server. Events of the server make its entries stale. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The SDK repeats reads that got no answer.
      retry: false,
      // A refusal stays until the reader tries again.
      throwOnError: false,
      refetchOnWindowFocus: (query) => !(query.state.error instanceof MandateError),
    },
  },
})
