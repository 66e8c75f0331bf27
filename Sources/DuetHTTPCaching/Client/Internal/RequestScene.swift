import DuetContext
import DuetHTTP
import ServiceContextModule

/// What a request is sent on behalf of, for one whose answer others may wait for too: message, principal, trace.
struct RequestScene: Sendable {
    private let options: HTTPRequestOptions
    private let context: ServiceContext?

    /// For what is sent in the background: nobody waits for it, and nobody's deadline is its own.
    init() {
        var options = HTTPRequestOptions.current
        options.onInterimAnswer = nil
        var context = ServiceContext.current
        context?.deadline = nil
        self.options = options
        self.context = context
    }

    /// For what others may join; nil where that makes no difference.
    ///
    /// When the first has left, it is told nothing more, and no timer of its own ends what is still under way.
    init?(sharedBy leader: LoadParticipant) {
        var options = HTTPRequestOptions.current
        var context = ServiceContext.current
        let deadline = context?.deadline
        guard options.onInterimAnswer != nil || deadline?.isEnforced == true else { return nil }
        if let tell = options.onInterimAnswer {
            options.onInterimAnswer = { [weak leader] interim in
                if leader != nil { tell(interim) }
            }
        }
        if let deadline { context?.deadline = deadline.unenforced }
        self.options = options
        self.context = context
    }

    func use(_ operation: () async -> Void) async {
        await ServiceContext.withValue(context) {
            await options.use { await operation() }
        }
    }
}
