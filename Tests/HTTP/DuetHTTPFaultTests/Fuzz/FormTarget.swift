import FeedWeb
import Foundation
import FuzzTesting
import Hummingbird

/// The forms of the feed's page: a form has short texts and files that are parts of the body, or is refused.
enum FormTarget {
    static func read(_ input: [UInt8]) -> FuzzVerdict {
        let input = FuzzInput(input)
        guard let mediaType = input.mediaType else { return .elsewhere }
        do {
            let form = try Form(input.body, mediaType: mediaType)
            for name in ["id", "message", "m", "token"] {
                let text = form[name]
                if text.utf8.count > 3 * input.body.count { return .fault("\(name) has \(text.utf8.count) bytes") }
                if text.utf8.contains(UInt8(ascii: "\r")) { return .fault("\(name) has the line breaks of the wire") }
            }
            let file = form.file("file")
            guard file.isEmpty || input.body.range(of: file) != nil else {
                return .fault("The file is not in the body")
            }
            return .fine
        } catch let error as HTTPError {
            return [400, 413, 415].contains(error.status.code) ? .fine : .fault("It was refused with \(error.status)")
        } catch {
            return .fault("It was \(error)")
        }
    }
}
