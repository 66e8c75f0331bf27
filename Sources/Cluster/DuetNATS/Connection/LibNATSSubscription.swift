#if NATS
    import CNats
    import Duet
    import Foundation

    /// A subscription of libnats, which begins and ends on the thread of its connection's calls.
    final class LibNATSSubscription: CoreSubscription {
        private let receiver: SubscriptionReceiver
        /// The library's connection must outlive the subscription.
        private let connection: LibNATSConnection

        init(
            _ connection: LibNATSConnection,
            _ subject: String,
            queue: String?,
            _ handler: @escaping CoreMessageHandler
        ) {
            let receiver = SubscriptionReceiver(handler, connection.calls)
            self.receiver = receiver
            self.connection = connection
            connection.calls.add { [connection] in receiver.begin(on: connection, subject, queue: queue) }
        }

        deinit {
            connection.calls.add { [receiver, connection] in
                receiver.cancel()
                receiver.release()
                withExtendedLifetime(connection) {}
            }
        }

        func cancel() {
            connection.calls.add { [receiver] in receiver.cancel() }
        }

        func drain() async {
            connection.calls.add { [receiver, connection] in
                if !connection.isConnected || !receiver.drain() { receiver.cancel() }
            }
            // The library has a limit for this, too, but may not report the end if the connection is lost meanwhile.
            _ = await abandoning(after: .seconds(3), clock: ContinuousClock()) { [receiver] in
                await receiver.untilComplete()
            }
        }
    }

    /// Calls the handler of a subscription, and remembers whether the library is done with it.
    private final class SubscriptionReceiver: Sendable {
        private struct State {
            /// The address of the library's subscription; nil before it begins, and after it was destroyed.
            var address: UInt?
            var isComplete = false
            /// Nothing references the subscription any longer.
            var isReleased = false

            mutating func takeDestroyable() -> UInt? { isComplete && isReleased ? address.take() : nil }
        }

        private let handler: CoreMessageHandler
        private let calls: OutgoingCalls
        private let state = Monitor(State())

        init(_ handler: @escaping CoreMessageHandler, _ calls: OutgoingCalls) {
            self.handler = handler
            self.calls = calls
        }

        private var pointer: OpaquePointer? {
            unsafe state.read { $0.address }.flatMap { unsafe OpaquePointer(bitPattern: $0) }
        }

        // MARK: Calls of the library

        func begin(on connection: LibNATSConnection, _ subject: String, queue: String?) {
            let context = unsafe Unmanaged.passRetained(self)
            let receive: natsMsgHandler = { _, _, message, context in
                guard let message = unsafe message, let context = unsafe context else { return }
                unsafe Unmanaged<SubscriptionReceiver>.fromOpaque(context).takeUnretainedValue().receive(message)
            }
            // Messages may be in the handler until the library reports that the subscription is complete.
            let complete: natsOnCompleteCB = { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<SubscriptionReceiver>.fromOpaque(context).takeRetainedValue().complete()
            }
            let pointer = unsafe connection.pointer
            var created: OpaquePointer?
            var status =
                if let queue {
                    unsafe natsConnection_QueueSubscribe(&created, pointer, subject, queue, receive, context.toOpaque())
                } else {
                    unsafe natsConnection_Subscribe(&created, pointer, subject, receive, context.toOpaque())
                }
            if status == NATS_OK, let subscription = unsafe created {
                state.update { $0.address = UInt(bitPattern: subscription) }
                status = unsafe natsSubscription_SetOnCompleteCB(subscription, complete, context.toOpaque())
                if status == NATS_OK { return }
                connection.report(status, "Subscribing to \(subject) failed")
                // It has ended with its connection, and is not reported as complete. A message may still be in the
                // handler, at a time that nothing reports, so that the library keeps its reference to this object.
                cancel()
            } else {
                // There is no subscription.
                unsafe context.release()
                connection.report(status, "Subscribing to \(subject) failed")
            }
            self.complete()
        }

        /// Has the library end the subscription after the messages that it holds, and returns whether it does.
        func drain() -> Bool {
            guard let pointer = unsafe pointer else { return false }
            return unsafe natsSubscription_DrainTimeout(pointer, 2000) == NATS_OK
        }

        func cancel() {
            guard let pointer = unsafe pointer else { return }
            // A failure means that the subscription has ended already.
            _ = unsafe natsSubscription_Unsubscribe(pointer)
        }

        /// Destroys the subscription as soon as the library is done with it.
        func release() {
            destroy(
                state.update { state in
                    state.isReleased = true
                    return state.takeDestroyable()
                }
            )
        }

        private func complete() {
            destroy(
                state.update { state in
                    state.isComplete = true
                    return state.takeDestroyable()
                }
            )
        }

        private func destroy(_ address: UInt?) {
            guard let address else { return }
            calls.add { unsafe natsSubscription_Destroy(OpaquePointer(bitPattern: address)) }
        }

        func untilComplete() async { await state.waitEvenIfCanceled { $0.isComplete } }

        // MARK: Messages

        /// Copies a message of the library, which is then destroyed.
        private func receive(_ pointer: OpaquePointer) {
            var message = CoreMessage(
                subject: unsafe natsMsg_GetSubject(pointer).map { unsafe String(cString: $0) } ?? "",
                reply: unsafe natsMsg_GetReply(pointer).map { unsafe String(cString: $0) }
            )
            if message.reply?.isEmpty == true { message.reply = nil }
            let count = unsafe Int(natsMsg_GetDataLength(pointer))
            if count > 0, let data = unsafe natsMsg_GetData(pointer) {
                message.payload = unsafe Data(bytes: data, count: count)
            }
            message.headers = unsafe headers(of: pointer)
            unsafe natsMsg_Destroy(pointer)
            handler(message)
        }

        private func headers(of message: OpaquePointer) -> [String: String] {
            var names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
            var count: Int32 = 0
            guard unsafe natsMsgHeader_Keys(message, &names, &count) == NATS_OK, let names = unsafe names else {
                return [:]
            }
            defer { unsafe free(names) }
            var fields = ReceivedFields()
            for index in 0..<Int(count) {
                guard let name = unsafe names[index] else { continue }
                var value: UnsafePointer<CChar>?
                guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK else { continue }
                let isTaken = unsafe fields.add(
                    name: UnsafeRawBufferPointer(start: name, count: strlen(name)),
                    value: UnsafeRawBufferPointer(start: value, count: value.map { unsafe strlen($0) } ?? 0)
                )
                if !isTaken { break }
            }
            return fields.headers
        }
    }
#endif
