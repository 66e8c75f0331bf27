import DuetContext
import DuetHTTP
import ServiceContextModule

/// What a request is sent on behalf of, kept for one that is sent in the background: message, principal, trace; no deadline.
struct RequestScene: Sendable {
    private let options: HTTPRequestOptions
    private let context: ServiceContext?

    init() {
        var options = HTTPRequestOptions.current
        // Whom it tells is answered already.
        options.onInterimAnswer = nil
        self.options = options
        var context = ServiceContext.current
        context?.deadline = nil
        self.context = context
    }

    func use(_ operation: () async -> Void) async {
        await ServiceContext.withValue(context) {
            await options.use { await operation() }
        }
    }
}
