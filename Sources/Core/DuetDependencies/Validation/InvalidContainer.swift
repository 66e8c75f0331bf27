/// The problems of a container's registrations, found before any value is created.
public struct InvalidContainer: Error, Equatable, CustomStringConvertible {
    /// The problems, in the order of registration.
    public let problems: [Problem]

    /// One problem of the registrations.
    @nonexhaustive
    public enum Problem: Sendable, Hashable {
        /// The last type of the path is needed but not registered.
        ///
        /// The type before it was registered at `location`. The `remedy` is the code to write.
        case missing(path: [String], location: String, remedy: String)

        /// A type was registered more than once.
        case duplicate(name: String, locations: [String])

        /// A type was replaced that is not registered.
        case nothingToReplace(name: String, location: String)

        /// Each type of the path needs the next, and the last is the first.
        ///
        /// The locations are those of their registrations.
        case cycle(path: [String], locations: [String])

        /// The first type of the path is a singleton that would keep the last, which is scoped, beyond its scope.
        ///
        /// The locations are those of their registrations.
        case captive(path: [String], locations: [String])

        /// A message has more than one handler.
        case duplicateHandler(message: String, handlers: [String], locations: [String])

        /// A listed handler is neither registered nor `Resolvable`.
        case handlerNotRegistered(handler: String, location: String)
    }

    /// The number of problems, then each with its remedy.
    public var description: String {
        let count = problems.count == 1 ? "1 fault" : "\(problems.count) faults"
        return "The container has \(count):\n" + problems.map { "- \($0)" }.joined(separator: "\n")
    }
}

extension InvalidContainer.Problem: CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .missing(let path, let location, let remedy):
            """
            \(Self.arrows(path)): not registered. The registration at \(location) needs it. Register it too \
            (\(remedy)), or make it optional.
            """
        case .duplicate(let name, let locations) where Set(locations).count == 1:
            """
            \(name) is registered more than once at \(Self.list(locations)). The module that registers it is installed \
            more than once; install it once, where the modules that need it are combined.
            """
        case .duplicate(let name, let locations):
            """
            \(name) is registered more than once: \(Self.list(locations)). Remove all but one, give each its own \
            name, or register the one to keep with builder.replacing.
            """
        case .nothingToReplace(let name, let location):
            """
            \(name) is replaced at \(location), but there is nothing to replace. Name the type that is registered, as \
            in (any Api).self, or register it without builder.replacing.
            """
        case .cycle(let path, let locations):
            """
            \(Self.arrows(path)): each needs the next, so none can be created. Remove one dependency, or dispatch a \
            message where it is used. They are registered at \(Self.list(locations)).
            """
        case .captive(let path, let locations):
            """
            \(Self.arrows(path)): \(path.first ?? "") is a singleton and would keep \(path.last ?? ""), which is \
            scoped, beyond its scope. Make the first scoped, or the last a singleton. A layer takes a scoped value from \
            a handler, whose message it dispatches to `next`. They are registered at \(Self.list(locations)).
            """
        case .duplicateHandler(let message, let handlers, let locations):
            """
            \(message) has more than one handler: \(Self.list(handlers)), listed at \(Self.list(locations)). A message \
            has one; remove the others.
            """
        case .handlerNotRegistered(let handler, let location):
            """
            \(handler) is listed as a handler at \(location), but it is neither registered nor @Resolvable. Register it \
            with builder.transient { \(handler)() }, or write @Resolvable before it (DuetMacros).
            """
        }
    }

    private static func arrows(_ path: [String]) -> String { path.joined(separator: " → ") }

    private static func list(_ items: [String]) -> String {
        var seen: Set<String> = []
        return items.filter { seen.insert($0).inserted }.joined(separator: ", ")
    }
}
