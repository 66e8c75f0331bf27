import Duet
package import DuetDependencies
public import Observation

/// A value that a view resolves, with the error if that fails.
///
/// The projected value of `@Resolved` is a resolution: `$model.error`, `$model.retry()`.
@MainActor @Observable
public final class Resolution<Value> {
    /// The value; nil until it is resolved.
    public private(set) var value: Value

    /// Why the value could not be resolved; ``MissingScope`` or an error of the container.
    public private(set) var error: (any Error)?

    /// Whether the value is being resolved.
    public private(set) var isResolving = false

    @ObservationIgnored private let source: ResolutionSource<Value>
    @ObservationIgnored private var scope: Result<Scope, any Error>?
    @ObservationIgnored private var task: Task<Void, Never>?

    package init(_ source: ResolutionSource<Value>) {
        self.source = source
        value = source.initial
    }

    /// Resolves the value once in a scope, and again only in another one.
    ///
    /// A value that exists already is there when this method returns.
    package func resolve(in scope: Result<Scope, any Error>) {
        guard !scope.isSame(as: self.scope) else { return }
        self.scope = scope
        begin(in: scope)
    }

    /// Resolves the value again, after an error.
    public func retry() {
        guard let scope, error != nil else { return }
        begin(in: scope)
    }

    private func begin(in scope: Result<Scope, any Error>) {
        task?.cancel()
        task = nil
        error = nil
        isResolving = false
        do {
            if let ready = try source.ready(scope) {
                value = ready
                return
            }
            let scope = try scope.get()
            value = source.initial
            isResolving = true
            task = Task { [weak self, source] in
                do {
                    let value = try await source.make(scope)
                    if !Task.isCancelled { self?.finish(value) }
                } catch {
                    if !Task.isCancelled { self?.fail(error) }
                }
            }
        } catch {
            value = source.initial
            fail(error)
        }
    }

    private func finish(_ value: Value) {
        self.value = value
        isResolving = false
    }

    private func fail(_ error: any Error) {
        self.error = error
        isResolving = false
    }

    deinit { task?.cancel() }
}

@MainActor
package struct ResolutionSource<Value> {
    /// The value as long as there is no other.
    let initial: Value
    /// Returns the value if it is available without waiting.
    let ready: (Result<Scope, any Error>) throws -> Value?
    let make: (Scope) async throws -> Value

    /// A value of any type, which is nil until it is resolved.
    package static func optional<Wrapped>(named name: DependencyName?) -> Self where Value == Wrapped? {
        Self(
            initial: nil,
            ready: { scope in
                guard name == nil, let value = try scope.get().readyOnMainActor(Wrapped.self) else { return nil }
                return .some(.some(value))
            },
            make: { scope in try await scope.resolveOnMainActor(Wrapped.self, named: name) }
        )
    }
}

extension Result<Scope, any Error> {
    func isSame(as other: Self?) -> Bool {
        switch (self, other) {
        case (.success(let scope), .success(let other)): scope === other
        case (.failure, .failure): true
        default: false
        }
    }
}
