import Duet

/// What a container is made of: everything that was registered, checked.
struct Blueprint: Sendable {
    /// What it was made of.
    let draft: Draft
    /// One for each key, in the order of registration.
    let registrations: [Registration]
    let handlers: [HandlerDraft]
    let middleware: [any Middleware]
    /// What each registration needs.
    let links: DependencyLinks

    /// - Throws: ``InvalidContainer`` with everything that is wrong.
    init(_ draft: Draft) throws {
        var problems: [InvalidContainer.Problem] = []
        let handlers = Self.unique(draft.handlers, &problems)
        var registrations = draft.registrations
        let registered = Set(registrations.map(\.key))
        let replaced = Set(draft.replacements.map(\.key))
        for handler in handlers where !registered.contains(handler.handler) {
            if let registration = handler.registration {
                registrations.append(registration)
            } else if !replaced.contains(handler.handler) {
                let name = handler.handler.shortName
                problems.append(.handlerNotRegistered(handler: name, location: "\(handler.location)"))
            }
        }
        registrations += Self.dispatchers(of: draft, besides: registered)
        registrations = Self.replace(Self.unique(registrations, &problems), with: draft.replacements, &problems)

        links = DependencyLinks(registrations)
        problems += links.problems()
        guard problems.isEmpty else { throw InvalidContainer(problems: problems) }
        self.draft = draft
        self.registrations = registrations
        self.handlers = handlers
        middleware = draft.middleware
    }

    /// The standard dispatcher if it was asked for, and its two halves if nobody registered them.
    private static func dispatchers(of draft: Draft, besides registered: Set<DependencyKey>) -> [Registration] {
        let whole = DependencyKey((any CommandQueryDispatcher).self)
        guard let location = draft.dispatcher ?? draft.registrations.first(where: { $0.key == whole })?.location else {
            return []
        }
        let commands = FactoryMaker { (dispatcher: any CommandQueryDispatcher) -> any CommandDispatcher in dispatcher }
        let queries = FactoryMaker { (dispatcher: any CommandQueryDispatcher) -> any QueryDispatcher in dispatcher }
        let halves = [
            Registration(transient: commands, DependencyKey((any CommandDispatcher).self), location),
            Registration(transient: queries, DependencyKey((any QueryDispatcher).self), location),
        ]
        return (draft.dispatcher == nil ? [] : [Registration(dispatcherAt: location)])
            + halves.filter { !registered.contains($0.key) }
    }

    private static func unique(
        _ handlers: [HandlerDraft],
        _ problems: inout [InvalidContainer.Problem]
    ) -> [HandlerDraft] {
        let all = Dictionary(grouping: handlers, by: \.message)
        var seen: Set<ObjectIdentifier> = []
        let unique = handlers.filter { seen.insert($0.message).inserted }
        for handler in unique {
            guard let rivals = all[handler.message], rivals.count > 1 else { continue }
            problems.append(
                .duplicateHandler(
                    message: handler.messageName,
                    handlers: rivals.map(\.handler.shortName),
                    locations: rivals.map { "\($0.location)" }
                )
            )
        }
        return unique
    }

    private static func unique(
        _ registrations: [Registration],
        _ problems: inout [InvalidContainer.Problem]
    ) -> [Registration] {
        let all = Dictionary(grouping: registrations, by: \.key)
        var seen: Set<DependencyKey> = []
        let unique = registrations.filter { seen.insert($0.key).inserted }
        for registration in unique {
            guard let rivals = all[registration.key], rivals.count > 1 else { continue }
            let locations = rivals.map { "\($0.location)" }
            problems.append(.duplicate(name: registration.key.shortName, locations: locations))
        }
        return unique
    }

    private static func replace(
        _ registrations: [Registration],
        with replacements: [Registration],
        _ problems: inout [InvalidContainer.Problem]
    ) -> [Registration] {
        var registrations = registrations
        var indices = Dictionary(uniqueKeysWithValues: registrations.enumerated().map { ($1.key, $0) })
        for replacement in replacements {
            if let index = indices[replacement.key] {
                registrations[index] = replacement
            } else {
                let name = replacement.key.shortName
                problems.append(.nothingToReplace(name: name, location: "\(replacement.location)"))
                indices[replacement.key] = registrations.count
                registrations.append(replacement)
            }
        }
        return registrations
    }
}
