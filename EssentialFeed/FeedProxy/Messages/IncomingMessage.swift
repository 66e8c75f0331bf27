/// A head that has arrived, and the body that follows it; nil when none can.
struct IncomingMessage<Head: Sendable>: Sendable {
    let head: Head
    let body: IncomingBody?
}
