import Crypto
import DuetHTTP
import Foundation

extension EntityTag {
    /// The tag that the value of a response has, or a strong one that is computed from the content.
    init?(of response: HTTPAnswer, content: Data) {
        if let own = response.entityTag.flatMap(EntityTag.init(strong:)) {
            self = own
            return
        }
        // Half of the digest is enough to distinguish all versions of one resource.
        let digest = SHA256.hash(data: content).prefix(16)
        self.init(strong: FieldSyntax.hexadecimal(digest))
    }
}
