import Duet

/// What a builder has been told so far.
struct Draft: Sendable {
    var registrations: [Registration] = []
    var replacements: [Registration] = []
    var handlers: [HandlerDraft] = []
    var replacedHandlers: [HandlerDraft] = []
    var middleware: [any Middleware] = []
    /// Where the standard dispatcher was asked for first.
    var dispatcher: SourceLocation?
}

/// A handler that a dispatcher is to take a message to.
struct HandlerDraft: Sendable {
    let kind: DependencyGraph.Route.Kind
    let message: ObjectIdentifier
    let messageName: String
    let handler: DependencyKey
    let location: SourceLocation
    /// The handler as a transient, for when nobody has registered it; nil when it cannot make itself.
    let registration: Registration?
    /// Makes the `MessageRoute` of the message, given a `Provider` of the handler.
    let makeRoute: @Sendable (_ provider: any AnyObject & Sendable, _ needsScope: Bool) -> any AnyObject & Sendable
}
