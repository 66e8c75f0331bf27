public import Duet
public import DuetDependencies

/// Remembers the last number in a dependency, as a struct.
public struct MemoryHandler: CommandHandler, Resolvable {
    private let memory: any Memory

    /// The memory.
    public static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Memory).self)] }

    /// Creates a handler with the scope's memory.
    @inline(__always)
    public init(from scope: Scope) async throws {
        memory = try await scope.resolve()
    }

    /// Remembers the command's number.
    @inline(never)
    public func handle(_ command: Remember) async throws { memory.remember(command.number) }
}

/// The same as ``MemoryHandler``, as a class.
public final class MemoryObjectHandler: CommandHandler, Resolvable {
    private let memory: any Memory

    /// The memory.
    public static var dependencies: [ResolvedDependency] { [ResolvedDependency((any Memory).self)] }

    /// Creates a handler with the scope's memory.
    @inline(__always)
    public init(from scope: Scope) async throws {
        memory = try await scope.resolve()
    }

    /// Remembers the command's number.
    @inline(never)
    public func handle(_ command: Remember) async throws { memory.remember(command.number) }
}
