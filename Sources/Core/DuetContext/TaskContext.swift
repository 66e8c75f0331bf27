package import Duet
package import ServiceContextModule

/// Values that the current task carries beside its messages, for work that goes on in another task.
package struct TaskContext: Sendable {
    package var service: ServiceContext?
    package var caller: Caller

    package init(service: ServiceContext? = nil, caller: Caller = Caller()) {
        self.service = service
        self.caller = caller
    }

    package static var current: TaskContext { TaskContext(service: .current, caller: .current) }

    /// Runs an operation in place of the current task's own context.
    package func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        // Setting a value costs as much as a dispatch.
        if service == nil, ServiceContext.current == nil { return try await caller.run(operation) }
        return try await ServiceContext.withValue(service) {
            try await Caller.$current.withValue(caller) { try await operation() }
        }
    }

    package func run<Value>(_ operation: () throws -> Value) rethrows -> Value {
        try ServiceContext.$current.withValue(service) {
            try Caller.$current.withValue(caller) { try operation() }
        }
    }
}
