import DispatchSubjects
import Duet

#if Macros
    import DuetMacros

    /// The handlers in a dispatcher that the compiler checks.
    @Dispatcher
    struct AppDispatcher {
        let addTo: AddToHandler
        let remember: RememberHandler
    }
#else
    /// The handlers in a dispatcher as `@Dispatcher` writes it.
    struct AppDispatcher {
        let addTo: AddToHandler
        let remember: RememberHandler

        @inline(__always)
        nonisolated(nonsending) func dispatch(_ message: AddTo) async throws -> AddTo.Value {
            try await addTo.handle(message)
        }

        @inline(__always)
        nonisolated(nonsending) func dispatch(_ message: Remember) async throws -> Remember.Value {
            try await remember.handle(message)
        }
    }
#endif
