/// Everything that is wrong with what was registered, found before anything was made.
public struct InvalidContainer: Error, Equatable {
    /// Each fault, in the order of registration.
    public let problems: [Problem]

    /// One fault.
    @nonexhaustive
    public enum Problem: Sendable, Hashable {
        /// The last of the path is needed, and nothing is registered for it.
        ///
        /// The one before it was registered at `location`; `remedy` is what to write.
        case missing(path: [String], location: String, remedy: String)

        /// Something was registered more than once.
        case duplicate(name: String, locations: [String])

        /// Something was to be replaced, and nothing was registered for it.
        case nothingToReplace(name: String, location: String)

        /// Each of the path needs the next, and the last is the first. The locations are where they were registered.
        case cycle(path: [String], locations: [String])

        /// The first of the path is a singleton and would keep the last, which is scoped, for longer than its scope lives.
        ///
        /// The locations are where they were registered.
        case captive(path: [String], locations: [String])

        /// More than one handler was listed for a message.
        case duplicateHandler(message: String, handlers: [String], locations: [String])

        /// A handler was listed that is not registered and cannot make itself.
        case handlerNotRegistered(handler: String, location: String)
    }
}

extension InvalidContainer: CustomStringConvertible {
    /// The number of faults, then each with what to do about it.
    public var description: String {
        let count = problems.count == 1 ? "1 fault" : "\(problems.count) faults"
        return "The container has \(count):\n" + problems.map { "- \($0)" }.joined(separator: "\n")
    }
}

extension InvalidContainer.Problem: CustomStringConvertible {
    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .missing(let path, let location, let remedy):
            """
            \(Self.way(path)): not registered. It is needed by what \(location) registers; register it too \
            (\(remedy)), or make it optional.
            """
        case .duplicate(let name, let locations) where Set(locations).count == 1:
            """
            \(name) is registered more than once at \(Self.list(locations)). The module that registers it is installed more \
            than once; install it once, where the modules that need it are put together.
            """
        case .duplicate(let name, let locations):
            """
            \(name) is registered more than once: \(Self.list(locations)). Remove all but one, give each a name of its \
            own, or register the one that shall hold with builder.replacing.
            """
        case .nothingToReplace(let name, let location):
            """
            \(name) is replaced at \(location), but there is nothing to replace. Name the type that is registered, as in \
            (any Api).self, or register it without builder.replacing.
            """
        case .cycle(let path, let locations):
            """
            \(Self.way(path)): each needs the next, so none can be made. Take one dependency out, or dispatch a message \
            where it is used. They are registered at \(Self.list(locations)).
            """
        case .captive(let path, let locations):
            """
            \(Self.way(path)): \(path.first ?? "") is a singleton and would keep \(path.last ?? ""), which is scoped, \
            beyond its scope. Make the first scoped, or the last a singleton. They are registered at \
            \(Self.list(locations)).
            """
        case .duplicateHandler(let message, let handlers, let locations):
            """
            \(message) has more than one handler: \(Self.list(handlers)), listed at \(Self.list(locations)). A message has \
            one; remove the others.
            """
        case .handlerNotRegistered(let handler, let location):
            """
            \(handler) is listed as a handler at \(location), but it is neither registered nor @Resolvable. Write \
            @Resolvable before it, or register a factory that makes it.
            """
        }
    }

    private static func way(_ path: [String]) -> String { path.joined(separator: " → ") }

    /// Each once.
    private static func list(_ items: [String]) -> String {
        var seen: Set<String> = []
        return items.filter { seen.insert($0).inserted }.joined(separator: ", ")
    }
}
