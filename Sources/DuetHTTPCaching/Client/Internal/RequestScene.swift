import DuetContext
import DuetHTTP
import ServiceContextModule

/// What a request is sent on behalf of, for one whose answer is not waited for by that one alone: message, principal, trace.
///
/// No deadline: a deadline that somebody else keeps would have none kept nearer to the network.
struct RequestScene: Sendable {
    private let options: HTTPRequestOptions
    private let context: ServiceContext?

    /// For what is sent in the background.
    init() {
        var options = HTTPRequestOptions.current
        // Whom it tells is answered already.
        options.onInterimAnswer = nil
        self.init(options)
    }

    /// For what others may join; nil where it is the same as that of the first.
    init?(sharedBy leader: LoadParticipant) {
        var options = HTTPRequestOptions.current
        guard options.onInterimAnswer != nil || ServiceContext.current?.deadline != nil else { return nil }
        // Who has left is told nothing any more.
        if let tell = options.onInterimAnswer {
            options.onInterimAnswer = { [weak leader] interim in
                if leader != nil { tell(interim) }
            }
        }
        self.init(options)
    }

    private init(_ options: HTTPRequestOptions) {
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
