public import Duet

/// The rule that a command makes cached values stale.
///
/// The values are invalidated when the command has ended. It does not matter whether the command succeeded, failed or
/// was canceled, because a failed command may have done its work. A load that began before is not stored, and not
/// shared with later callers.
///
/// ```swift
/// Invalidate(LoadFeed.self, after: PublishImage.self, RemoveImage.self)
/// Invalidate(LoadComments.self, after: PostComment.self) { query, command in query.imageID == command.imageID }
/// ```
public struct Invalidate: Sendable, CustomStringConvertible {
    /// Carries out the rule for one command.
    typealias Action = @Sendable (_ command: any Command, _ cache: QueryCache) -> Void

    let commands: [(id: ObjectIdentifier, name: String, route: any AnyObject & Sendable)]
    /// The query whose values are invalidated; nil for a tag or everything.
    let query: (id: ObjectIdentifier, name: String)?
    let usesTags: Bool
    /// Whether it has a condition, and so says which values a command really changes.
    let isConditional: Bool
    /// The values that a command invalidates, without a condition that the rule has.
    let values: @Sendable (_ command: any Command) -> [Invalidation]
    let action: Action
    /// The rule in words.
    public let description: String

    /// Invalidates all values of a query after commands.
    public init<Q: Query & Hashable, each C: Command>(_ query: Q.Type, after command: repeat (each C).Type)
    where Q.Value: Sendable {
        self.init("All values of \(Q.messageName) are", query, after: repeat each command) { _ in
            [.query(name: Q.messageName)]
        }
    }

    /// Invalidates the values of some queries after a command.
    ///
    /// - Parameters:
    ///   - query: The type of the query.
    ///   - command: The type of the command.
    ///   - isStale: Whether a command makes the value of a query stale. It is called for each cached query of the type,
    ///     and must not use the cache.
    public init<Q: Query & Hashable, C: Command>(
        _ query: Q.Type,
        after command: C.Type,
        where isStale: @escaping @Sendable (_ query: Q, _ command: C) -> Bool
    ) where Q.Value: Sendable {
        let action: Action = { command, cache in
            guard let command = command as? C else { return }
            cache.cached(Q.self)?.invalidate { isStale($0, command) }
        }
        self.init("Some values of \(Q.messageName) are", query, after: command, action: action) { _ in
            [.query(name: Q.messageName)]
        }
    }

    /// Invalidates the values with a tag after commands, in constant time.
    public init<each C: Command>(tag: String, after command: repeat (each C).Type) {
        self.init("All values with the tag \(tag) are", nil, usesTags: true, after: repeat each command) { _ in
            [.tag(tag)]
        }
    }

    /// Invalidates the values with tags that a command determines.
    public init<C: Command>(tags: @escaping @Sendable (_ command: C) -> [String], after command: C.Type) {
        self.init("The values with the tags of the command are", nil, usesTags: true, after: command) { command in
            guard let command = command as? C else { return [] }
            return tags(command).map { .tag($0) }
        }
    }

    /// Invalidates everything after commands, and removes it from the store.
    ///
    /// A value in memory can still replace a failed load, as ``CachePolicy/staleIfError(_:)`` permits. When a user
    /// signs out, also call ``QueryCache/removeAll()``.
    public init<each C: Command>(everythingAfter command: repeat (each C).Type) {
        self.init("Everything is", nil, after: repeat each command, action: { $1.core.removeStored() }) { _ in
            [.everything]
        }
    }

    private init<each C: Command>(
        _ subject: String,
        _ query: (any Query.Type)?,
        usesTags: Bool = false,
        after command: repeat (each C).Type,
        action: Action? = nil,
        values: @escaping @Sendable (any Command) -> [Invalidation]
    ) {
        var commands: [(id: ObjectIdentifier, name: String, route: any AnyObject & Sendable)] = []
        repeat Self.add(each command, &commands)
        self.commands = commands
        self.query = query.map { (ObjectIdentifier($0), $0.messageName) }
        self.usesTags = usesTags
        isConditional = query != nil && action != nil
        self.values = values
        self.action = action ?? { command, cache in for values in values(command) { cache.invalidate(values) } }
        description = "\(subject) invalidated after \(commands.map(\.name).joined(separator: ", "))"
    }

    private static func add<C: Command>(
        _ command: C.Type,
        _ commands: inout [(id: ObjectIdentifier, name: String, route: any AnyObject & Sendable)]
    ) {
        commands.append((ObjectIdentifier(command), C.messageName, CacheRoute<C>(CommandHandling<C>())))
    }
}
