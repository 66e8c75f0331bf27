// The files of this folder are compiled with the tests, and again by `ShapeTests` with other options.
internal import DuetMacros

protocol Api {}
protocol Logging {}
protocol FeedStore: Sendable {}
protocol Screen: Resolvable {}

struct LiveApi: Api {}

/// Deliberately not `Sendable`.
final class Counter { var count = 0 }

@globalActor actor DatabaseActor { static let shared = DatabaseActor() }

extension DependencyName {
    nonisolated static var replica: DependencyName { "replica" }
}
